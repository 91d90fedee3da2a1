import { SettingsError, StartError } from "../process/contribution.js";
import { readDistDeployment } from "../proxy/host/dist.js";
import { DistFault } from "../proxy/host/dist-fault.js";
import { deploymentFront, listenersFault } from "./compiler-thread.js";
import type { RunOrigin } from "./launch-settings.js";
import { type Settings, settingsOf } from "./settings.js";

/**
 * Deployment settings of files or of a build.
 * @throws StartError with the findings as `gwc check` prints them
 */
export async function runSettings(
  origin: RunOrigin,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  try {
    return settingsOf(await deploymentOf(origin), origin.directory, environment);
  } catch (error) {
    if (error instanceof SettingsError || error instanceof DistFault) throw new StartError(error.message);
    throw error;
  }
}

export const NO_COMPILER = "a policy needs the compiler, which is not installed here";

async function deploymentOf(origin: RunOrigin): Promise<unknown> {
  if (origin.kind === "dist") {
    const deployment = readDistDeployment(origin.path, origin.trusted);
    const { policy, directory } = origin;
    const fault = policy === undefined ? "" : await listenersFault(deployment, policy, directory);
    if (fault === null) throw new StartError(NO_COMPILER);
    if (fault !== "") throw new StartError(fault);
    return deployment;
  }
  const front = await deploymentFront(origin.paths, origin.directory, origin.policy);
  if (!front) {
    throw new StartError(
      "configuration files need the compiler, which is not installed here: run a build of gwc build",
    );
  }
  if (front.unreadable) throw new StartError(front.report);
  return front.deployment;
}
