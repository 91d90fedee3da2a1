/**
 * What a day costs a school, an office, a mobile carrier and three kinds of attacker, with the default prices: the table of
 * docs/captcha/price.md. `node .build/test/tools/captcha-price.js`, after a build.
 */
import { priceTable } from "../support/captcha-price-day.js";

process.stdout.write(`${priceTable()}\n`);
