import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RecordObject, RecordValue } from "../../runtime/abi/log.js";
import { defaultRecordOf } from "../../runtime/log/default-record.js";
import { recordText } from "../../runtime/log/record-text.js";
import { utf8Text } from "../oracle/utf8.js";
import { finishedExchange } from "../support/finished-exchange.js";
