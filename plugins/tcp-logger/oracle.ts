// All loggers make the same record: what tells them apart is how they send it, which tests at their servers show.
export { logger as oracle } from "../../test/oracle/logger.js";
