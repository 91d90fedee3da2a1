// Fetches OpenSearch and what it needs from Maven Central, once, by test/opensearch/pom.xml, and compiles what starts it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const SOURCES = [path("./opensearch/pom.xml"), path("./opensearch/TestNode.java")];
const DIRECTORY = path("../node_modules/.cache/gwc/opensearch");
/** Holds the sources that what stands beside it was made of. */
const COMPLETE = `${DIRECTORY}/complete`;
const sources = () => SOURCES.map((source) => readFileSync(source, "utf8")).join("");

export const isOpenSearchFetched = () => existsSync(COMPLETE) && readFileSync(COMPLETE, "utf8") === sources();

/** Needs Maven, a JDK and, unless ~/.m2 has the jars, the network. Tests with OpenSearch are left out where one of them is missing. */
export function fetchOpenSearch() {
  console.log(`Fetching OpenSearch (50 MB of jars) into ${DIRECTORY} for the tests`);
  rmSync(DIRECTORY, { recursive: true, force: true });
  mkdirSync(`${DIRECTORY}/classes`, { recursive: true });
  const [pom, node] = SOURCES;
  const goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";
  const run = (program, ...args) =>
    spawnSync(program, args, { stdio: ["ignore", "ignore", "inherit"] }).status === 0;
  const made =
    run("mvn", "-q", "-B", "-f", pom, goal, `-DoutputDirectory=${DIRECTORY}/jars`) &&
    run("javac", "-cp", `${DIRECTORY}/jars/*`, "-d", `${DIRECTORY}/classes`, node);
  if (made) writeFileSync(COMPLETE, sources());
  else
    console.error("OpenSearch is not there (it needs mvn, javac and Maven Central): its tests are left out");
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !isOpenSearchFetched()) fetchOpenSearch();
