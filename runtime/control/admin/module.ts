import type { ControlCompiler } from "../compiler.js";
import { type ApiResponse, failure, json } from "./answer.js";
import { namedKind } from "./kinds.js";
import { keyOf } from "./list.js";

/** Serves `GET /gw/admin/module/{kind}/{id}`. */
export async function moduleOf(
  compiler: ControlCompiler,
  generation: number,
  segments: readonly string[],
): Promise<ApiResponse> {
  const { path, kind, rest } = namedKind(segments);
  const [id, ...more] = rest;
  if (kind === undefined) return failure(404, `Unsupported resource type: ${path}`);
  if (id === undefined || more.length > 0) return failure(400, `missing ${kind.label} id`);
  const view = await compiler.moduleView(kind.segment, id);
  if (view === null)
    return failure(
      404,
      `there is no module of ${path}/${id}: it is absent or disabled, has none, or is part of a build`,
    );
  return json(200, { generation, key: keyOf({ kind: kind.segment, id }), ...view });
}
