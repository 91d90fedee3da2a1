import { expect, it } from "vitest";
import { read } from "../../architecture/sources.js";

it("the image runs gwc under tini, which reaps orphans of its processes", () => {
  const dockerfile = read("packaging/container/Dockerfile");
  const entrypoint = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "[]") as string[];
  expect(entrypoint.slice(0, 2)).toEqual(["/usr/bin/tini", "--"]);
  expect(dockerfile).toMatch(/^COPY --from=build \/usr\/bin\/tini-static \/usr\/bin\/tini$/m);
  expect(dockerfile).toMatch(/^RUN .*apt-get install .*\btini$/m);
});
