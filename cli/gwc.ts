#!/usr/bin/env node
/**
 * The command line. Each command is loaded when it is asked for, so that `gwc run dist/` needs none of the compiler's
 * packages. Exit codes: 0 clean, 1 diagnostics or failure, 2 usage.
 */
import "../runtime/process/signals.js";
import { Command, CommanderError, Option } from "commander";
import { COMMANDS } from "../plugins/commands.js";
import { messageOf } from "../runtime/abi/error-message.js";
import { VERSION } from "../runtime/abi/version.js";
import { addCommands, exampleLines } from "./plugin-commands.js";

const FORMATS = ["text", "json", "sarif", "github"];
const program = new Command("gwc");

const configured = (command: Command) =>
  command
    .argument("[paths...]", "configuration files or directories (default: gateway.yaml and conf.d)")
    .addOption(new Option("--format <format>", "how findings are printed").choices(FORMATS).default("text"));

const reported = (command: Command) =>
  configured(command)
    .addOption(
      new Option("--color <when>", "colours of findings")
        .choices(["auto", "always", "never"])
        .default("auto"),
    )
    .option("-q, --quiet", "print findings only: no progress, and nothing when there are none");

/** A reader that has enough (`gwc schema | head`) and a terminal that is gone are no fault; output on a full disk is one. */
const NOBODY_READS: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO"]);
process.stderr.on("error", () => {});
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (NOBODY_READS.has(error.code)) return;
  process.stderr.write(`gwc: standard output: ${error.message}\n`);
  process.once("exit", () => {
    process.exitCode ||= 1;
  });
});

/** Runs a command's action and turns its result into the exit code. */
const exit =
  <A extends unknown[]>(action: (...args: A) => Promise<number>) =>
  async (...args: A): Promise<void> => {
    process.exitCode = await action(...args);
  };

program
  .description("Compiles gateway configuration into pipeline modules and runs them.")
  .version(VERSION, "-V, --version")
  .showSuggestionAfterError()
  .showHelpAfterError("(gwc --help shows the commands)")
  .exitOverride()
  .addHelpText(
    "after",
    `
Examples:
  gwc init                        write a gateway.yaml to start from
  gwc check gateway.yaml conf.d   report every mistake with file, line and column
  gwc build --out dist            write the generated modules, type-checked, for review and deployment
  gwc run gateway.yaml            compile and serve; the admin API changes it live
  gwc run dist                    serve what was built, without the compiler
  gwc route GET /orders/7 -H "Host: shop.example.com"
                                  which route answers, and why the others do not
  gwc explain-route shop          what that route does, in sentences
${exampleLines(COMMANDS)}  gwc spool show                  records that wait on disk for their destination
  gwc explain GW2107              what a finding means and how to mend it`,
  );

program
  .command("init")
  .description("write a commented gateway.yaml that passes `gwc check`")
  .argument("[directory]", "where to write it", ".")
  .action(exit(async (directory: string) => (await import("./init.js")).init(directory)));

reported(program.command("check"))
  .description("report every mistake, with file, line and column; changes nothing")
  .option("--strict", "warnings fail too")
  .option("--explain", "print what was decided where the settings leave it open, and why")
  .action(exit(async (paths: string[], options) => (await import("./check.js")).check(paths, options)));

reported(program.command("build"))
  .description(
    "compile to a directory: generated modules, plan and manifest; same input gives the same bytes",
  )
  .option("-o, --out <directory>", "where to write", "dist")
  .option("--no-type-check", "leave out the strict type check of the generated modules")
  .option(
    "--cache <directory>",
    "where builds tell each other which modules have passed the check; jobs may share it (default: the build that is replaced)",
  )
  .action(exit(async (paths: string[], options) => (await import("./build.js")).build(paths, options)));

program
  .command("run")
  .description("serve a configuration, or a directory made by `gwc build`")
  .argument("[paths...]", "configuration files or directories, or one directory made by gwc build")
  .option(
    "--writable",
    "with a built directory: let the admin API change it (needs the compiler; not with plugins of packages)",
  )
  .option("--watch", "reload, as SIGHUP does, whenever the files or the built directory have changed")
  .option("--workers <count>", "worker processes; 0 runs everything in this one")
  .addOption(
    new Option("--log-format <format>", "lines of the log (default: text on a terminal, else json)").choices([
      "json",
      "text",
    ]),
  )
  .addOption(
    new Option("--color <when>", "colours of the log").choices(["auto", "always", "never"]).default("auto"),
  )
  .addHelpText(
    "after",
    `
Signals: SIGTERM and SIGINT finish the requests in flight and stop; SIGHUP reads the configuration files, or the
built directory, again: what cannot run changes nothing, and the log, /status/ready and the metrics say why. --watch
does so within two seconds of a change that has come to rest; settings of listeners need a restart either way.`,
  )
  .action(exit(async (paths: string[], options) => (await import("./run.js")).run(paths, options)));

configured(program.command("plan"))
  .description("print the plan: what the gateway will do, as canonical JSON")
  .option("--route <id>", "only this route")
  .action(exit(async (paths: string[], options) => (await import("./plan.js")).plan(paths, options)));

program
  .command("route")
  .description("say which route answers a request, why the others do not, and the merged plugins in order")
  .argument("<method>", "request method")
  .argument("<url>", "path with query, or a whole URL")
  .option(
    "-H, --header <field>",
    'request header field, "Name: value"',
    (field: string, all: string[]) => [...all, field],
    [],
  )
  .option("-c, --config <path...>", "configuration files or directories (default: gateway.yaml and conf.d)")
  .option("--client <address>", "client address", "127.0.0.1")
  .addOption(new Option("--format <format>").choices(["text", "json"]).default("text"))
  .action(
    exit(async (method: string, url: string, options) =>
      (await import("./route.js")).route(method, url, options),
    ),
  );

program
  .command("explain-route")
  .description(
    "say in sentences what a route does: which requests it takes, and what is done with them, phase by phase",
  )
  .argument("<id>", "id of the route")
  .option("-c, --config <path...>", "configuration files or directories (default: gateway.yaml and conf.d)")
  .addOption(new Option("--format <format>").choices(["text", "json"]).default("text"))
  .action(
    exit(async (id: string, options) => (await import("./explain-route.js")).explainRoute(id, options)),
  );

program
  .command("explain")
  .description("explain a finding, or list them all")
  .argument("[code]", "GWnnnn, or one of a package's plugin")
  .option(
    "-c, --config <path...>",
    "files whose packages of plugins it knows (default: gateway.yaml and conf.d)",
  )
  .addOption(new Option("--format <format>").choices(["text", "json"]).default("text"))
  .action(
    exit(async (code: string | undefined, options) => (await import("./explain.js")).explain(code, options)),
  );

program
  .command("schema")
  .description("print the JSON Schema of a configuration file, for editors")
  .argument("[kind]", "one kind only: route, service, upstream, …")
  .option(
    "-c, --config <path...>",
    "files whose packages of plugins it knows (default: gateway.yaml and conf.d)",
  )
  .action(
    exit(async (kind: string | undefined, options) => (await import("./schema.js")).schema(kind, options)),
  );

program
  .command("adopt")
  .description(
    "let a file take over a resource of the store: the stored copy is removed when the files are read again",
  )
  .argument("<resource>", "kind and id, such as routes/shop-orders")
  .requiredOption("--key <key>", "admin key (or GWC_ADMIN_KEY)", process.env["GWC_ADMIN_KEY"])
  .option("--admin <url>", "address of the admin API", "http://127.0.0.1:9180")
  .action(exit(async (resource: string, options) => (await import("./adopt.js")).adopt(resource, options)));

const spool = program
  .command("spool")
  .description("look after the records of loggers with delivery: durable that wait on disk");
const spooled = (command: Command) =>
  command
    .option("-c, --config <path...>", "configuration files or directories (default: gateway.yaml and conf.d)")
    .option(
      "--directory <directory>",
      "the spool itself, without a configuration: only secrets of the environment are known",
    );

spooled(spool.command("show"))
  .description("for each destination: what waits, since when, who ships it and why it does not arrive")
  .addOption(new Option("--format <format>").choices(["text", "json"]).default("text"))
  .action(exit(async (options) => (await import("./spool.js")).show(options)));

spooled(spool.command("drain"))
  .description("deliver what waits, while no gateway runs; exit code 1 when something is left")
  .option("--timeout <seconds>", "how long to try", "60")
  .option("--force", "take over from a process that seems to ship it; it then stops")
  .action(exit(async (options) => (await import("./spool.js")).drain(options)));

spooled(spool.command("purge"))
  .description("give up the records that wait for a destination and say how many there were")
  .argument("[destination]", "its id, or the beginning of it; without one: all destinations")
  .option("--yes", "needed without a destination")
  .action(exit(async (id: string | undefined, options) => (await import("./spool.js")).purge(id, options)));

addCommands(program, COMMANDS, exit);

program
  .command("new")
  .description("start a new part of the product")
  .command("plugin")
  .description(
    "write the package of a new plugin: schema, meaning, template, documentation and cases that pass",
  )
  .argument("<name>", "lower-case words joined by hyphens")
  .argument("[folder]", "where to (default: gwc-plugin-<name>)")
  .option("--built-in", "write it among the plugins of gwc itself, in a checkout")
  .action(
    exit(async (name: string, folder: string | undefined, options) =>
      (await import("./new-plugin.js")).newPlugin(name, folder, options),
    ),
  );

program
  .command("test-plugin")
  .description("test the package of a plugin: schema, cases, generated modules, README and what is packed")
  .argument("[folder]", "the package", ".")
  .addOption(new Option("--format <format>").choices(["text", "json"]).default("text"))
  .action(
    exit(async (folder: string, options) =>
      (await import("./test-plugin/index.js")).testPlugin(folder, options),
    ),
  );

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    process.stderr.write(`gwc: ${messageOf(error)}\n`);
    if (process.env["GWC_DEBUG"]) process.stderr.write(`${error instanceof Error ? error.stack : ""}\n`);
    process.exitCode = 1;
  }
}
