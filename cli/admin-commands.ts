import { type Command, Option } from "commander";
import { takesAdminKey } from "./admin-key.js";
import type { Exit } from "./build-commands.js";
import { ORDERS, WINDOWS } from "./top/rows.js";

const UI_HELP = `
A gateway serves the same pages itself, at /gw/ui of its admin listener. Here they come from this installation, and only calls
of /gw/admin go to the gateway: with the key that was signed in with, and with no cookie or other field of the browser.

Examples:
  gwc ui --admin https://gateway.example.com:9180
  ssh -N -L 9180:127.0.0.1:9180 gateway.example.com & gwc ui --admin http://127.0.0.1:9180
  NODE_EXTRA_CA_CERTS=ca.pem gwc ui --admin https://10.0.0.7:9180   with an authority of your own
  gwc ui --admin http://127.0.0.1:9180 --key-file viewer.key        no signing in: for a machine that is yours alone

Ctrl-C ends it. Exit codes: 0 ended, 1 it could not listen, 2 usage.`;

const TOP_HELP = `
Requests, errors, latency and bytes of the busiest routes and upstreams, and what needs attention, as the gateway counts them.
Without a terminal (a pipe, a log of CI) it prints them once.

The key comes from GWC_ADMIN_KEY or --key-file, else it is asked for; on the command line other users would see it.

Keys: ? shows them; r e p b n order by requests, errors, p99, bytes, name; / filters by name; Tab routes or upstreams; Enter one
of them with its course and nodes, Esc back; w 10 s, 1, 5 or 15 minutes; Space pauses; q or Ctrl-C quits.

Examples:
  gwc top
  gwc top --admin https://gateway.example.com:9180 --key-file viewer.key --sort errors
  gwc top --once --view upstreams --window 900
  gwc top --format json | jq '.attention[].text'

Exit codes: 0 ended, 1 the gateway does not answer or refuses the key, 2 usage.`;

const EXPORT_HELP = `
Secrets are not in it: a variable of the environment stands in the place of each. The head of the file and standard error say which.
Variables that files name stay as they are written there.

Examples:
  gwc export > gateway.yaml
  gwc export --origin store > conf.d/from-the-store.yaml    then gwc check, SIGHUP, and gwc adopt for each

Exit codes: 0 written, 1 the gateway does not answer or refuses the key, 2 usage.`;

/** Adds `adopt`, `export`, `top` and `ui`, which speak to the admin API of a gateway that runs. */
export function addAdminCommands(program: Command, exit: Exit): void {
  addAdopt(program, exit);
  addExport(program, exit);
  addTop(program, exit);
  addUi(program, exit);
}

function addAdopt(program: Command, exit: Exit): void {
  takesAdminKey(program.command("adopt"))
    .description(
      "let a file take over a resource of the store: the stored copy is removed when the files are read again",
    )
    .argument("<resource>", "kind and id, such as routes/shop-orders")
    .option("--admin <url>", "address of the admin API", "http://127.0.0.1:9180")
    .action(exit(async (resource: string, options) => (await import("./adopt.js")).adopt(resource, options)));
}

function addExport(program: Command, exit: Exit): void {
  takesAdminKey(program.command("export"), "file with the admin key, a viewer's too")
    .description("write the resources of a gateway that runs to standard output, as a configuration file")
    .option("--admin <url>", "address of the admin API", "http://127.0.0.1:9180")
    .addOption(
      new Option("--origin <which>", "files: only those that stand in files; store: only the others")
        .choices(["all", "files", "store"])
        .default("all"),
    )
    .addOption(new Option("--format <format>", "of the file").choices(["yaml", "json"]).default("yaml"))
    .addHelpText("after", EXPORT_HELP)
    .action(exit(async (options) => (await import("./export.js")).exportConfiguration(options)));
}

function addTop(program: Command, exit: Exit): void {
  takesAdminKey(program.command("top"), "file with the admin key, a viewer's too")
    .description("show how a gateway that runs does, route by route, in a terminal or once")
    .option("--admin <url>", "address of the admin API", "http://127.0.0.1:9180")
    .addOption(
      new Option("--view <what>", "what the rows are").choices(["routes", "upstreams"]).default("routes"),
    )
    .addOption(new Option("--sort <order>", "order of the rows").choices(ORDERS).default("requests"))
    .addOption(
      new Option("--window <seconds>", "how long a past figures are of")
        .choices(WINDOWS.map(String))
        .default("60"),
    )
    .option("--filter <text>", "with --once: rows with this in their names", "")
    .option("--every <seconds>", "from one look to the next: 0.5 to 60", "1")
    .option("--once", "print it once, as where there is no terminal")
    .addOption(
      new Option("--format <format>", "json: once, as the admin API tells it")
        .choices(["text", "json"])
        .default("text"),
    )
    .addHelpText("after", TOP_HELP)
    .action(exit(async (options) => (await import("./top/index.js")).top(options)));
}

function addUi(program: Command, exit: Exit): void {
  program
    .command("ui")
    .description("serve the web interface here, on 127.0.0.1, for a gateway elsewhere")
    .requiredOption("--admin <url>", "address of its admin API, such as https://gateway.example.com:9180")
    .option(
      "--key-file <file>",
      "file with the admin key of calls that bring none; none: whoever opens the page signs in",
      "none",
    )
    .option("--port <port>", "to listen on; 0 takes any that is free", "9190")
    .addOption(
      new Option("--open <when>", "open a browser, where a terminal has a screen")
        .choices(["auto", "never"])
        .default("auto"),
    )
    .addHelpText("after", UI_HELP)
    .action(exit(async (options) => (await import("./ui.js")).ui(options)));
}
