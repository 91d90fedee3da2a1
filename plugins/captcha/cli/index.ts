import type { CommandGroup, CommandOption } from "../../../runtime/process/contribution-api.js";

const FORMAT: CommandOption = {
  flags: "--format <format>",
  describe: "output format",
  choices: ["text", "json"],
  default: "text",
};
const URL: CommandOption = {
  flags: "--url <url>",
  describe: "address of the captcha as browsers see it (default: http://127.0.0.1:9088)",
};
const BACKENDS = ["node", "python", "php", "go", "java"];

const INIT_OPTIONS: CommandOption[] = [
  {
    flags: "--hostname <host...>",
    describe: "hosts of the pages, each with its subdomains",
    default: ["localhost"],
  },
  { flags: "--customer <id>", describe: "owner of the keys", default: "site" },
  URL,
  {
    flags: "--backend <language...>",
    describe: "backends to print code for",
    choices: BACKENDS,
    default: BACKENDS,
    defaultText: "all",
  },
  { flags: "--out <file>", describe: "write the configuration to a new file" },
  {
    flags: "--digest",
    describe:
      "write a keyed hash to the configuration instead of a variable; takes captcha.secret from GW_CAPTCHA_SECRET",
    conflicts: "admin",
  },
  {
    flags: "--admin <url>",
    describe: "create the keys in the gateway with this admin API, without a file",
    conflicts: "out",
  },
  FORMAT,
];

export const commands: CommandGroup = {
  plugin: "captcha",
  name: "captcha",
  describe: "create keys of the captcha and manage its signing keys",
  example: ["gwc captcha init", "create captcha keys, and print the code for page and backend"],
  help: `
Examples:
  gwc captcha init                                    keys for http://localhost, and all code that is needed
  gwc captcha init --hostname example.com --url https://captcha.example.com --out conf.d/captcha.yaml
  gwc captcha init --admin http://127.0.0.1:9180      the same in a running gateway
  gwc captcha script --url https://captcha.example.com
  gwc captcha rotate                                  a new key for new tokens`,
  commands: [
    {
      name: "init",
      describe:
        "create a customer, a site key and an API key, and print the configuration, the HTML and the backend code",
      options: INIT_OPTIONS,
      takesAdminKey: true,
      load: async () => (await import("./commands.js")).init,
    },
    {
      name: "rotate",
      describe: "sign new tokens with a new key; tokens of the old key stay valid until they expire",
      options: [
        { flags: "--admin <url>", describe: "address of the admin API", default: "http://127.0.0.1:9180" },
        FORMAT,
      ],
      takesAdminKey: true,
      load: async () => (await import("./commands.js")).rotate,
    },
    {
      name: "script",
      describe: "print the script tag of this exact version, with its integrity value",
      options: [URL, FORMAT],
      load: async () => (await import("./commands.js")).script,
    },
  ],
};
