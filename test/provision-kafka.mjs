// Fetches Apache Kafka and what it needs from Maven Central, once, by test/kafka/pom.xml.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const POM = fileURLToPath(new URL("./kafka/pom.xml", import.meta.url));
const DIRECTORY = fileURLToPath(new URL("../node_modules/.cache/gwc/kafka", import.meta.url));
/** Holds the pom that the jars beside it were fetched by. */
const COMPLETE = `${DIRECTORY}/complete`;

export const isFetched = () =>
  existsSync(COMPLETE) && readFileSync(COMPLETE, "utf8") === readFileSync(POM, "utf8");

/** Needs Maven and, unless ~/.m2 has the jars, the network. True when the jars are there afterwards. */
export function fetchKafka() {
  console.log(`Fetching Apache Kafka (46 MB of jars) into ${DIRECTORY} for the tests`);
  rmSync(DIRECTORY, { recursive: true, force: true });
  mkdirSync(DIRECTORY, { recursive: true });
  const goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";
  const args = ["-q", "-B", "-f", POM, goal, `-DoutputDirectory=${DIRECTORY}`];
  const { status, error } = spawnSync("mvn", args, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) {
    console.error(
      error
        ? "Kafka cannot be fetched: mvn is absent (Debian package maven)"
        : "Kafka cannot be fetched: Maven Central was not reached and ~/.m2 does not have it",
    );
    return false;
  }
  writeFileSync(COMPLETE, readFileSync(POM, "utf8"));
  return true;
}
