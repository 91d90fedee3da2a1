import { SettingsError, StartError } from "../process/contribution.js";
import { BuildError } from "../proxy/host/build-error.js";
import { readBuildDeployment } from "../proxy/host/build-reader.js";
import { withDeploymentReader } from "./compiler-loader.js";
import type { RunSource } from "./launch-settings.js";
import { type Settings, settingsOf } from "./settings.js";

/** @throws StartError with the diagnostics as `gwc check` prints them */
export async function runSettings(
  origin: RunSource,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  try {
    return settingsOf(await deploymentOf(origin), origin.directory, environment);
  } catch (error) {
    if (error instanceof SettingsError || error instanceof BuildError) throw new StartError(error.message);
    throw error;
  }
}

export const NO_COMPILER = "a policy needs the compiler, which is not installed";

async function deploymentOf(origin: RunSource): Promise<unknown> {
  if (origin.kind === "dist") {
    const deployment = readBuildDeployment(origin.path, origin.trusted);
    const { policy, directory } = origin;
    if (policy === undefined) return deployment;
    const fault = await withDeploymentReader((reader) =>
      reader.listenersReport(deployment, policy, directory),
    );
    if (fault === null) throw new StartError(NO_COMPILER);
    if (fault !== "") throw new StartError(fault);
    return deployment;
  }
  const front = await withDeploymentReader((reader) =>
    reader.readDeployment(origin.paths, origin.directory, origin.policy),
  );
  if (!front) {
    throw new StartError(
      "configuration files need the compiler, which is not installed: run a build of gwc build",
    );
  }
  if (front.unreadable) throw new StartError(front.report);
  return front.deployment;
}
