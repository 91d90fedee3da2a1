import type { Command } from "commander";
import { choice, onDemand, takesAdminKey } from "./options.js";
import { ORDERS, WINDOWS } from "./top/overview-text.js";

const UI_HELP = `
A gateway serves the same pages itself, at /gw/ui of its admin listener. This command serves them from this installation and
forwards only calls of /gw/admin to the gateway, with the key of the sign-in and without cookies or other browser headers.

Examples:
  gwc ui --admin https://gateway.example.com:9180
  ssh -N -L 9180:127.0.0.1:9180 gateway.example.com & gwc ui --admin http://127.0.0.1:9180
  NODE_EXTRA_CA_CERTS=ca.pem gwc ui --admin https://10.0.0.7:9180   with a private certificate authority
  gwc ui --admin http://127.0.0.1:9180 --key-file viewer.key        no sign-in: only for a machine that nobody else uses

Ctrl-C stops it. Exit codes: 0 stopped, 1 cannot listen, 2 wrong usage.`;

const TOP_HELP = `
Shows requests, errors, latency and bytes of the busiest routes and upstreams, and problems that need attention. Without a
terminal (in a pipe or a CI log) it prints them once.

The key comes from GWC_ADMIN_KEY or --key-file; otherwise the command prompts for it. Other users would see it on the command line.

Keys: ? shows the keys; r e p b n sort by requests, errors, p99, bytes, name; / filters by name; Tab switches between routes
and upstreams; Enter shows the history and nodes of one, Esc goes back; w selects 10 s, 1, 5 or 15 minutes; Space pauses;
q or Ctrl-C quits.

Examples:
  gwc top
  gwc top --admin https://gateway.example.com:9180 --key-file viewer.key --sort errors
  gwc top --once --view upstreams --window 900
  gwc top --format json | jq '.attention[].text'

Exit codes: 0 quit, 1 the gateway does not respond or rejects the key, 2 wrong usage.`;

const EXPORT_HELP = `
Secrets are not exported: an environment variable replaces each. The head of the file and standard error list the variables.
References to variables in files stay as they are.

Examples:
  gwc export > gateway.yaml
  gwc export --origin store > conf.d/from-the-store.yaml    then gwc check, SIGHUP, and gwc adopt for each

Exit codes: 0 written, 1 the gateway does not respond or rejects the key, 2 wrong usage.`;

/** Adds `adopt`, `export`, `top` and `ui`, which call the admin API of a running gateway. */
export function addAdminCommands(program: Command): void {
  addAdopt(program);
  addExport(program);
  addTop(program);
  addUi(program);
}

function addAdopt(program: Command): void {
  takesAdminKey(program.command("adopt"))
    .description(
      "let a configuration file take over a resource of the store: reload the files and remove the stored copy",
    )
    .argument("<resource>", "kind and id, such as routes/shop-orders")
    .option("--admin <url>", "address of the admin API", "http://127.0.0.1:9180")
    .action(onDemand(async () => (await import("./resources.js")).adopt));
}

function addExport(program: Command): void {
  takesAdminKey(program.command("export"), "file with an admin key or viewer key")
    .description("write the resources of a running gateway to standard output, as a configuration file")
    .option("--admin <url>", "address of the admin API", "http://127.0.0.1:9180")
    .addOption(
      choice("--origin <which>", "files: only resources in files; store: only the others", [
        "all",
        "files",
        "store",
      ]),
    )
    .addOption(choice("--format <format>", "format of the file", ["yaml", "json"]))
    .addHelpText("after", EXPORT_HELP)
    .action(onDemand(async () => (await import("./resources.js")).exportConfiguration));
}

function addTop(program: Command): void {
  takesAdminKey(program.command("top"), "file with an admin key or viewer key")
    .description("show the traffic of a running gateway, route by route, in a terminal or once")
    .option("--admin <url>", "address of the admin API", "http://127.0.0.1:9180")
    .addOption(choice("--view <what>", "what each row shows", ["routes", "upstreams"]))
    .addOption(choice("--sort <order>", "order of the rows", ORDERS))
    .addOption(choice("--window <seconds>", "time span of the figures", WINDOWS.map(String), "60"))
    .option("--filter <text>", "with --once: only rows with this text in their names", "")
    .option("--every <seconds>", "refresh interval, from 0.5 to 60", "1")
    .option("--once", "print once, as without a terminal")
    .addOption(
      choice("--format <format>", "output format; json: print once, as the admin API returns it", [
        "text",
        "json",
      ]),
    )
    .addHelpText("after", TOP_HELP)
    .action(onDemand(async () => (await import("./top/index.js")).top));
}

function addUi(program: Command): void {
  program
    .command("ui")
    .description("serve the web interface on 127.0.0.1 for a remote gateway")
    .requiredOption("--admin <url>", "address of the admin API, such as https://gateway.example.com:9180")
    .option(
      "--key-file <file>",
      "file with the admin key for calls without a key; none: each user signs in",
      "none",
    )
    .option("--port <port>", "port to listen on; 0 picks a free one", "9190")
    .addOption(
      choice("--open <when>", "auto: open a browser if there is a terminal and a display", ["auto", "never"]),
    )
    .addHelpText("after", UI_HELP)
    .action(onDemand(async () => (await import("./ui.js")).ui));
}
