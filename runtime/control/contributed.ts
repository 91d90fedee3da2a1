/** What plugins contribute, with those that gwc brings along: control never sees the one without the other. */
import "../../plugins/control.js";

export { isOfService, resourceContributions, serviceContributions } from "../process/contributions.js";
