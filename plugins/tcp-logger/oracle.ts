// All loggers make the same record. They differ in how they send it, which tests at their servers cover.
export { logger as oracle } from "../../test/oracle/logger.js";
