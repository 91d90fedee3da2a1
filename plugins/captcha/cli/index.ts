import type { CommandGroup, CommandOption } from "../../../runtime/process/command.js";

const FORMAT: CommandOption = {
  flags: "--format <format>",
  describe: "",
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
    describe: "hosts of the pages; a host stands for its subdomains too",
    default: ["localhost"],
  },
  { flags: "--customer <id>", describe: "who owns the keys", default: "site" },
  URL,
  {
    flags: "--backend <language...>",
    describe: "only these",
    choices: BACKENDS,
    default: BACKENDS,
    defaultText: "all",
  },
  { flags: "--out <file>", describe: "write the configuration there; never over a file" },
  {
    flags: "--digest",
    describe:
      "a keyed hash in the configuration in place of a variable; takes captcha.secret from GW_CAPTCHA_SECRET",
    conflicts: "admin",
  },
  {
    flags: "--admin <url>",
    describe: "make them in the gateway that answers here, without a file",
    conflicts: "out",
  },
  FORMAT,
];

export const commands: CommandGroup = {
  plugin: "captcha",
  name: "captcha",
  describe: "make keys of the captcha, and look after its signing keys",
  example: ["gwc captcha init", "keys of the captcha, and the lines for page and backend"],
  help: `
Examples:
  gwc captcha init                                    keys for http://localhost, and every line that is needed
  gwc captcha init --hostname example.com --url https://captcha.example.com --out conf.d/captcha.yaml
  gwc captcha init --admin http://127.0.0.1:9180      the same in a gateway that runs
  gwc captcha script --url https://captcha.example.com
  gwc captcha rotate                                  a new key for new tokens`,
  commands: [
    {
      name: "init",
      describe:
        "make a customer, a site key and an API key, and print the configuration, the HTML and the backend's lines",
      options: INIT_OPTIONS,
      takesAdminKey: true,
      load: async () => (await import("./commands.js")).init,
    },
    {
      name: "rotate",
      describe: "sign new tokens with a new key; tokens of the old one verify until they expire",
      options: [
        { flags: "--admin <url>", describe: "address of the admin API", default: "http://127.0.0.1:9180" },
        FORMAT,
      ],
      takesAdminKey: true,
      load: async () => (await import("./commands.js")).rotate,
    },
    {
      name: "script",
      describe: "print the script tag of exactly this version, with its integrity value",
      options: [URL, FORMAT],
      load: async () => (await import("./commands.js")).script,
    },
  ],
};
