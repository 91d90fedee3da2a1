#!/usr/bin/env node
/**
 * The command line. Each command is loaded on demand, so that `gwc run dist/` loads no packages of the
 * compiler. Exit codes: 0 clean, 1 diagnostics or failure, 2 usage or lost output.
 */
import "../runtime/process/signals.js";
import { Argument, Command, CommanderError, Option } from "commander";
import { COMMANDS } from "../plugins/commands.js";
import { messageOf } from "../runtime/abi/error-message.js";
import { visible, visibleLine } from "../runtime/abi/text/unseen.js";
import { VERSION } from "../runtime/abi/version.js";
import { addAdminCommands } from "./admin-commands.js";
import { addBuildCommands } from "./build-commands.js";
import {
  CONFIG,
  choice,
  colorOption,
  configured,
  onDemand,
  PATHS,
  repeatable,
  reported,
  takesAdminKey,
  textOrJson,
} from "./options.js";
import { complain, endWithTwoWhenOutputIsLost, outliveLostOutput } from "./output.js";
import { addCommands, exampleLines } from "./plugin-commands.js";

const program = new Command("gwc");

if (process.argv[2] === "run") outliveLostOutput();
else endWithTwoWhenOutputIsLost();

program
  .description("compile gateway configuration into pipeline modules and run them")
  .version(VERSION, "-V, --version")
  .configureOutput({
    outputError: (text, write) => write(`${visibleLine(text.trimEnd())}\n`),
  })
  .showSuggestionAfterError()
  .showHelpAfterError("(run gwc --help for the commands)")
  .exitOverride()
  .addHelpText(
    "after",
    `
Examples:
  gwc init                        write a gateway.yaml to start from
  gwc check gateway.yaml conf.d   report every mistake with file, line and column
  gwc build --out dist            write the generated modules, type-checked, for review and deployment
  gwc run gateway.yaml            compile and serve; the admin API can change it while it runs
  gwc run dist                    serve a build, without the compiler
  gwc verify dist --key build.pub check that a build is complete, and who signed it
  gwc test                        run the tests of the configuration, without a network
  gwc route GET /orders/7 -H "Host: shop.example.com"
                                  show which route matches, and why the others do not
  gwc explain-route shop          describe in sentences what a route does
  gwc diff main: gateway.yaml     show what changes for traffic since branch main, with examples
${exampleLines(COMMANDS)}  gwc spool show                  show log records that are spooled on disk
  gwc explain GW2107              explain a diagnostic and how to fix it`,
  );

program
  .command("init")
  .description("write a commented gateway.yaml that passes `gwc check`")
  .argument("[directory]", "directory to write to", ".")
  .action(onDemand(async () => (await import("./init.js")).init));

reported(program.command("check"))
  .description("report every mistake, with file, line and column, without any change")
  .option("--strict", "fail on warnings too")
  .option("--policy <file>", "policy that the configuration must satisfy (docs/supply-chain.md)")
  .option("--explain", "print the decisions that the settings leave open, and their reasons")
  .action(onDemand(async () => (await import("./check.js")).check));

addBuildCommands(program);

program
  .command("run")
  .description("serve a configuration, or a directory written by `gwc build`")
  .argument("[paths...]", "configuration files or directories, or one directory written by gwc build")
  .option(CONFIG, "same as [paths...]")
  .option("--writable", "let the admin API change a build (needs the compiler; not with plugins of packages)")
  .option("--watch", "reload, as SIGHUP does, when the files or the build change")
  .option("--workers <count>", "number of worker processes; 0 runs everything in one process")
  .option("--policy <file>", "policy that the configuration must satisfy, also after writes of the admin API")
  .option(
    "--verify <key>",
    "public key that must have signed the build, at the start and at each reload; repeatable, one must match (default: the keys in GWC_VERIFY_KEY)",
    repeatable,
  )
  .addOption(
    new Option(
      "--log-format <format>",
      "format of the log (default: text on a terminal, otherwise json)",
    ).choices(["json", "text"]),
  )
  .addOption(colorOption("when to colour the log"))
  .addHelpText(
    "after",
    `
Signals: SIGTERM and SIGINT finish the requests in flight, deliver the log records, both within gw.drain.timeout, and stop.
SIGHUP reads the configuration files, or the build, again. A configuration that cannot run changes nothing; the log,
/status/ready and the metrics give the reason. --watch reloads within two seconds after the last change of a file. Changed
settings of listeners always need a restart.`,
  )
  .action(onDemand(async () => (await import("./run.js")).run));

/** Introduction in `gwc test --help`; docs/testing.md has the full text. */
const TEST_HELP = `
A test has a request, the response of the upstream, and expectations; only name and expect are required:

  tests:
    - name: card numbers are masked
      request: { method: GET, target: /orders/7, host: shop.example.com, headers: ["Accept: text/html"], from: 10.0.0.7 }
      upstream: { status: 200, headers: ["Content-Type: text/html"], body: card 1234 }   # or { failure: connect }
      expect:
        route: orders
        upstream_request: { target: /orders/7, headers: { X-Api-Version: "2" }, absent: [X-Debug] }   # or false: no call
        response: { status: 200, headers: { Content-Type: text/html }, body: card **** }
        log: [{ plugin: syslog, holds: { route_id: orders } }]

gwc test --record http://shop.example.com/orders/7 --into tests.yaml records a test from the response of the real upstream,
without credentials.

\${{NAME}} in a test is a variable. An unset variable has the same placeholder in the whole configuration, so that tests need
no secrets. build and run ignore tests. Exit codes: 0 all pass, 1 one fails, 2 nothing could be run.`;

program
  .command("test")
  .description(
    "run the tests under `tests:` in the files, through the compiled modules and without a network",
  )
  .argument(
    "[paths...]",
    "configuration files or directories, or a directory of such directories (default: gateway.yaml and conf.d)",
  )
  .option(CONFIG, "same as [paths...]")
  .option("--filter <text>", "run only tests with this text in their names, ignoring case")
  .option("--watch", "run again when the files change")
  .option(
    "--record <url>",
    "record a test of this request instead, with the response of the real upstream and the response to the client",
  )
  .option("-X, --method <method>", "method of the recorded request (default: GET)")
  .option(
    "-H, --header <field>",
    'header of the recorded request, "Name: value"; ${{NAME}} is sent as its value and recorded unchanged',
    repeatable,
    [],
  )
  .option("-d, --body <text>", "body of the recorded request")
  .option(
    "--upstream <url>",
    "upstream that receives the recorded request (default: the first node of the route)",
  )
  .option("--into <file>", "file that the recorded test is added to (default: standard output)")
  .option("--coverage", "report routes, conditions and actions that no test reaches (not in JUnit)")
  .option(
    "--mutate",
    "remove plugins and filters one by one and report where all tests still pass (not in JUnit)",
  )
  .addOption(choice("--format <format>", "output format of the results", ["text", "json", "junit"]))
  .addOption(colorOption("when to colour diagnostics"))
  .option("-q, --quiet", "hide progress")
  .addHelpText("after", TEST_HELP)
  .action(onDemand(async () => (await import("./test/index.js")).test));

configured(program.command("plan"))
  .description("print the plan of what the gateway will do, as canonical JSON")
  .option("--route <id>", "print only this route")
  .action(onDemand(async () => (await import("./plan.js")).plan));

program
  .command("route")
  .description("show which route matches a request, why the others do not, and the merged plugins in order")
  .argument("<method>", "request method")
  .argument("<url>", "path with query, or an absolute URL")
  .argument("[paths...]", PATHS)
  .option("-H, --header <field>", 'request header, "Name: value"', repeatable, [])
  .option(CONFIG, PATHS)
  .option("--client <address>", "client address", "127.0.0.1")
  .addOption(textOrJson())
  .action(onDemand(async () => (await import("./route.js")).route));

takesAdminKey(program.command("diff"), "file with an admin key or viewer key")
  .description("show what changes for traffic between two configurations, route by route, with examples")
  .argument(
    "<before>",
    "old side: a file, a directory, a build, a git revision (rev:path) or the URL of an admin API",
  )
  .argument(
    "[after]",
    "new side, in the same forms (default: gateway.yaml and conf.d in the current directory)",
  )
  .option(CONFIG, "same as [after], with one argument for each path")
  .addOption(
    choice("--format <format>", "output format; markdown suits review comments", [
      "text",
      "json",
      "markdown",
    ]),
  )
  .addOption(
    choice("--fail-on <severity>", "changes that give an exit code other than 0", [
      "any",
      "changed",
      "never",
    ]),
  )
  .option(
    "--verify <key>",
    "public key that must have signed a build before its modules run; repeatable, one must match (default: the keys in GWC_VERIFY_KEY)",
    repeatable,
  )
  .addOption(colorOption("when to colour text"))
  .option("-q, --quiet", "hide progress")
  .addHelpText(
    "after",
    `
Comments, the order of keys, moved files and renames do not count as changes. Each example is a request that was run through
both configurations, without a network, and got different responses; if none was found, the report says so.

Examples:
  gwc diff main:                          what this working tree changes against branch main
  gwc diff main:gateway/ gateway/         the same for a folder, from the top of the repository
  gwc diff v1.4:a.yaml,conf.d dist        a release compared with a build
  gwc diff http://127.0.0.1:9180 dist     what a rollout of dist would change on a running gateway
  gwc diff --format markdown main: . > comment.md

Exit codes: 0 nothing changes for traffic; 3 only requests that matched no route before get a different response; 1 other requests
do, or may; 2 the comparison failed, or its output was lost. --fail-on changed exits with 0 in place of 3; --fail-on never
exits with 0 or 2.`,
  )
  .action(onDemand(async () => (await import("./diff/index.js")).diff));

program
  .command("explain-route")
  .description(
    "describe in sentences what a route does: which requests match, and what happens to them in each phase",
  )
  .argument("<id>", "id of the route")
  .argument("[paths...]", PATHS)
  .option(CONFIG, PATHS)
  .addOption(textOrJson())
  .action(onDemand(async () => (await import("./explain-route.js")).explainRoute));

program
  .command("explain")
  .description("explain a diagnostic, or list all of them")
  .argument("[code]", "GWnnnn, or a code of a package's plugin")
  .option(CONFIG, "configuration files that name packages of plugins (default: gateway.yaml and conf.d)")
  .addOption(textOrJson())
  .action(onDemand(async () => (await import("./explain.js")).explain));

program
  .command("schema")
  .description("print the JSON Schema of a configuration file, for editors")
  .argument("[kind]", "only this kind: route, service, upstream, …")
  .option("--openapi", "print the OpenAPI 3.1 document of the admin API instead")
  .option(CONFIG, "configuration files that name packages of plugins (default: gateway.yaml and conf.d)")
  .action(onDemand(async () => (await import("./schema.js")).schema));

addAdminCommands(program);

const spool = program.command("spool").description("manage log records that are spooled on disk");
const spooled = (command: Command) =>
  command
    .option(CONFIG, PATHS)
    .addOption(
      new Option(
        "--directory <directory>",
        "spool directory, used without a configuration: only secrets of the environment and no packages of plugins; --config knows them",
      ).conflicts("config"),
    );

spooled(spool.command("show"))
  .description("show for each destination its pending records, their age, their shipper and the last error")
  .addOption(textOrJson())
  .action(onDemand(async () => (await import("./spool.js")).show));

spooled(spool.command("drain"))
  .description("deliver pending records while no gateway runs; exit with 1 if some are left")
  .option("--timeout <seconds>", "time limit in seconds", "60")
  .option("--force", "take over from a process that seems to ship records; that process then stops shipping")
  .action(onDemand(async () => (await import("./spool.js")).drain));

spooled(spool.command("purge"))
  .description("discard the pending records of a destination and print their number")
  .argument("[destination]", "id of the destination, or its beginning (default: all destinations)")
  .option("--yes", "confirm, if no destination is given")
  .action(onDemand(async () => (await import("./spool.js")).purge));

addCommands(program, COMMANDS);

program
  .command("new")
  .description("create a plugin")
  .command("plugin")
  .description(
    "write the package of a new plugin: schema, definition, template, documentation and passing cases",
  )
  .argument("<name>", "lower-case words joined by hyphens")
  .argument("[folder]", "folder to write to (default: gwc-plugin-<name>)")
  .option("--built-in", "add it to the built-in plugins, in a checkout of gwc")
  .action(onDemand(async () => (await import("./new-plugin.js")).newPlugin));

program
  .command("test-plugin")
  .description("test the package of a plugin: schema, cases, generated modules, README and packed files")
  .argument("[folder]", "folder of the package", ".")
  .addOption(textOrJson())
  .action(onDemand(async () => (await import("./test-plugin/index.js")).testPlugin));

program
  .command("completion")
  .description("print a completion script for a shell, or the manual page")
  .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish", "man"]))
  .addHelpText(
    "after",
    `
  bash: gwc completion bash > ~/.local/share/bash-completion/completions/gwc
  zsh:  gwc completion zsh > "\${fpath[1]}/_gwc"
  fish: gwc completion fish > ~/.config/fish/completions/gwc.fish
  man:  gwc completion man > ~/.local/share/man/man1/gwc.1`,
  )
  .action(onDemand(async () => (await import("./completion.js")).completionOf(program)));

function endWith(error: unknown): void {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    // One line: a path in a message may contain line breaks. Commands print rejections with diagnostics themselves.
    complain(messageOf(error));
    if (process.env["GWC_DEBUG"])
      process.stderr.write(`${error instanceof Error ? visible(error.stack ?? "") : ""}\n`);
    process.exitCode = 1;
  }
}

// Without `await`: in the bundle, a loaded command may import from this module, which would wait for itself.
program.parseAsync().catch(endWith);
