#!/usr/bin/env node
/**
 * The command line. Each command is loaded when it is asked for, so that `gwc run dist/` needs none of the compiler's
 * packages. Exit codes: 0 clean, 1 diagnostics or failure, 2 usage or lost output.
 */
import "../runtime/process/signals.js";
import { Argument, Command, CommanderError, Option } from "commander";
import { COMMANDS } from "../plugins/commands.js";
import { messageOf } from "../runtime/abi/error-message.js";
import { visible, visibleLine } from "../runtime/abi/text/unseen.js";
import { VERSION } from "../runtime/abi/version.js";
import { addAdminCommands } from "./admin-commands.js";
import { takesAdminKey } from "./admin-key.js";
import { addBuildCommands } from "./build-commands.js";
import { describeCommands } from "./command-tree.js";
import { complain } from "./complain.js";
import type { Completed } from "./completion.js";
import { endWithTwoWhenOutputIsLost, outliveLostOutput } from "./lost-output.js";
import { addCommands, exampleLines } from "./plugin-commands.js";
import { TEST_HELP } from "./test/help.js";

const FORMATS = ["text", "json", "sarif", "github"];
const program = new Command("gwc");

const PATHS = "configuration files or directories (default: gateway.yaml and conf.d)";
const CONFIG = "-c, --config <path...>";

const configured = (command: Command) =>
  command
    .argument("[paths...]", PATHS)
    .option(CONFIG, "the same as paths")
    .addOption(new Option("--format <format>", "how findings are printed").choices(FORMATS).default("text"));

const reported = (command: Command) =>
  configured(command)
    .addOption(
      new Option("--color <when>", "colours of findings")
        .choices(["auto", "always", "never"])
        .default("auto"),
    )
    .option("--no-notes", "print errors and warnings only")
    .option("-q, --quiet", "print findings only: no progress, and nothing when there are none");

if (process.argv[2] === "run") outliveLostOutput();
else endWithTwoWhenOutputIsLost();

/** Runs a command's action and turns its result into the exit code. */
const exit =
  <A extends unknown[]>(action: (...args: A) => Promise<number>) =>
  async (...args: A): Promise<void> => {
    process.exitCode = await action(...args);
  };

program
  .description("Compiles gateway configuration into pipeline modules and runs them.")
  .version(VERSION, "-V, --version")
  .configureOutput({
    outputError: (text, write) => write(`${visibleLine(text.trimEnd())}\n`),
  })
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
  gwc verify dist --key build.pub whether a build is whole, and who has signed it
  gwc test                        run the tests of the configuration, without a network
  gwc route GET /orders/7 -H "Host: shop.example.com"
                                  which route answers, and why the others do not
  gwc explain-route shop          what that route does, in sentences
  gwc diff main: gateway.yaml     what changes for traffic since branch main, with examples
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
  .option("--policy <file>", "what the configuration may hold (docs/supply-chain.md)")
  .option("--explain", "print what was decided where the settings leave it open, and why")
  .action(exit(async (paths: string[], options) => (await import("./check.js")).check(paths, options)));

addBuildCommands(program, reported, exit);

program
  .command("run")
  .description("serve a configuration, or a directory made by `gwc build`")
  .argument("[paths...]", "configuration files or directories, or one directory made by gwc build")
  .option(CONFIG, "the same as paths")
  .option(
    "--writable",
    "with a built directory: let the admin API change it (needs the compiler; not with plugins of packages)",
  )
  .option("--watch", "reload, as SIGHUP does, whenever the files or the built directory have changed")
  .option("--workers <count>", "worker processes; 0 runs everything in this one")
  .option("--policy <file>", "run only what this policy allows; the admin API's writes too")
  .option(
    "--verify <key>",
    "run only a build that this public key has signed, now and at each reload; several: one of them (default: the keys in GWC_VERIFY_KEY)",
    (file: string, all: string[] = []) => [...all, file],
  )
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

program
  .command("test")
  .description(
    "run the tests that stand under `tests:` in the files, through the compiled modules and without a network",
  )
  .argument(
    "[paths...]",
    "configuration files or directories, or a directory of such directories (default: gateway.yaml and conf.d)",
  )
  .option(CONFIG, "the same as paths")
  .option("--filter <text>", "only tests that have it in their names, in any case")
  .option("--watch", "run again whenever the files have changed")
  .option(
    "--record <url>",
    "write a test instead: what the real upstream of the route answers to this request, and what the client gets of it",
  )
  .option("-X, --method <method>", "of the request that is recorded (default: GET)")
  .option(
    "-H, --header <field>",
    'of the request that is recorded, "Name: value"; ${{NAME}} is sent with its value and written as it is',
    (field: string, all: string[]) => [...all, field],
    [],
  )
  .option("-d, --body <text>", "of the request that is recorded")
  .option("--upstream <url>", "whom the recorded request is sent to (default: the first node of the route)")
  .option("--into <file>", "the file whose tests the recorded one goes to (default: standard output)")
  .option("--coverage", "say which routes, conditions and actions no test reaches (not in JUnit)")
  .option(
    "--mutate",
    "leave out plugins and filters one by one and say where all tests still pass (not in JUnit)",
  )
  .addOption(
    new Option("--format <format>", "how the outcome is printed")
      .choices(["text", "json", "junit"])
      .default("text"),
  )
  .addOption(
    new Option("--color <when>", "colours of findings").choices(["auto", "always", "never"]).default("auto"),
  )
  .option("-q, --quiet", "no progress")
  .addHelpText("after", TEST_HELP)
  .action(exit(async (paths: string[], options) => (await import("./test/index.js")).test(paths, options)));

configured(program.command("plan"))
  .description("print the plan: what the gateway will do, as canonical JSON")
  .option("--route <id>", "only this route")
  .action(exit(async (paths: string[], options) => (await import("./plan.js")).plan(paths, options)));

program
  .command("route")
  .description("say which route answers a request, why the others do not, and the merged plugins in order")
  .argument("<method>", "request method")
  .argument("<url>", "path with query, or a whole URL")
  .argument("[paths...]", PATHS)
  .option(
    "-H, --header <field>",
    'request header field, "Name: value"',
    (field: string, all: string[]) => [...all, field],
    [],
  )
  .option(CONFIG, PATHS)
  .option("--client <address>", "client address", "127.0.0.1")
  .addOption(new Option("--format <format>").choices(["text", "json"]).default("text"))
  .action(
    exit(async (method: string, url: string, paths: string[], options) =>
      (await import("./route.js")).route(method, url, paths, options),
    ),
  );

takesAdminKey(program.command("diff"), "file with the key of the admin API, a viewer's too")
  .description(
    "say what changes for traffic between two configurations, route by route, each with an example",
  )
  .argument("<before>", "a file, a directory, a build, a git revision (rev:path) or the URL of an admin API")
  .argument("[after]", "the same (default: gateway.yaml and conf.d here)")
  .option(CONFIG, "the same as after, its paths one by one")
  .addOption(
    new Option("--format <format>", "markdown is made for review comments")
      .choices(["text", "json", "markdown"])
      .default("text"),
  )
  .addOption(
    new Option("--fail-on <severity>", "which changes give an exit code other than 0")
      .choices(["any", "changed", "never"])
      .default("any"),
  )
  .option(
    "--verify <key>",
    "run the modules of builds only where this public key has signed them; several: one of them (default: the keys in GWC_VERIFY_KEY)",
    (file: string, all: string[] = []) => [...all, file],
  )
  .addOption(
    new Option("--color <when>", "colours of text").choices(["auto", "always", "never"]).default("auto"),
  )
  .option("-q, --quiet", "tell no stages on standard error")
  .addHelpText(
    "after",
    `
Comments, the order of keys, moved files and other names of the same change nothing. Every example is a request that both
configurations have been run on, without a network, and that they answer differently; where none was found, the report says so.

Examples:
  gwc diff main:                          what this working tree changes against branch main
  gwc diff main:gateway/ gateway/         the same for a folder, from the top of the repository
  gwc diff v1.4:a.yaml,conf.d dist        a release against a build
  gwc diff http://127.0.0.1:9180 dist     what a rollout of dist would change on a running gateway
  gwc diff --format markdown main: . > comment.md

Exit codes: 0 nothing changes for traffic; 3 only requests that no route took are answered otherwise; 1 other requests are,
or may be, too; 2 the two cannot be compared, or the report is lost. --fail-on changed makes 3 a 0; --fail-on never leaves only 2.`,
  )
  .action(
    exit(async (before: string, after: string | undefined, options) =>
      (await import("./diff/index.js")).diff(before, after, options),
    ),
  );

program
  .command("explain-route")
  .description(
    "say in sentences what a route does: which requests it takes, and what is done with them, phase by phase",
  )
  .argument("<id>", "id of the route")
  .argument("[paths...]", PATHS)
  .option(CONFIG, PATHS)
  .addOption(new Option("--format <format>").choices(["text", "json"]).default("text"))
  .action(
    exit(async (id: string, paths: string[], options) =>
      (await import("./explain-route.js")).explainRoute(id, paths, options),
    ),
  );

program
  .command("explain")
  .description("explain a finding, or list them all")
  .argument("[code]", "GWnnnn, or one of a package's plugin")
  .option(CONFIG, "files whose packages of plugins it knows (default: gateway.yaml and conf.d)")
  .addOption(new Option("--format <format>").choices(["text", "json"]).default("text"))
  .action(
    exit(async (code: string | undefined, options) => (await import("./explain.js")).explain(code, options)),
  );

program
  .command("schema")
  .description("print the JSON Schema of a configuration file, for editors")
  .argument("[kind]", "one kind only: route, service, upstream, …")
  .option("--openapi", "print the OpenAPI 3.1 document of the admin API instead")
  .option(CONFIG, "files whose packages of plugins it knows (default: gateway.yaml and conf.d)")
  .action(
    exit(async (kind: string | undefined, options) => (await import("./schema.js")).schema(kind, options)),
  );

addAdminCommands(program, exit);

const spool = program
  .command("spool")
  .description("look after the records of loggers with delivery: durable that wait on disk");
const spooled = (command: Command) =>
  command
    .option(CONFIG, PATHS)
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

program
  .command("completion")
  .description("print what makes a shell complete commands and options, or the manual page")
  .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish", "man"]))
  .addHelpText(
    "after",
    `
  bash: gwc completion bash > ~/.local/share/bash-completion/completions/gwc
  zsh:  gwc completion zsh > "\${fpath[1]}/_gwc"
  fish: gwc completion fish > ~/.config/fish/completions/gwc.fish
  man:  gwc completion man > ~/.local/share/man/man1/gwc.1`,
  )
  .action(
    exit(async (shell: Completed) =>
      (await import("./completion.js")).completion(describeCommands(program), shell),
    ),
  );

function endWith(error: unknown): void {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    // On one line: a path in a message of the system may have ends of lines. Refusals with findings are printed by their commands.
    complain(messageOf(error));
    if (process.env["GWC_DEBUG"])
      process.stderr.write(`${error instanceof Error ? visible(error.stack ?? "") : ""}\n`);
    process.exitCode = 1;
  }
}

// Without `await`: in the bundle, what a command loads may import from this module, which would wait for itself.
program.parseAsync().catch(endWith);
