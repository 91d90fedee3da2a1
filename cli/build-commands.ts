import { type Command, Option } from "commander";

const BUILD_HELP = `
A signature is manifest.sig beside manifest.json, which has the hash of every other file. gwc verify and gwc run --verify
look at it; provenance.sig is one of provenance.json. The program of --sign-with has 60 s and runs without a shell.

Examples:
  openssl genpkey -algorithm ed25519 -out build.key && openssl pkey -in build.key -pubout -out build.pub
  gwc build --sign build.key --out dist
  gwc build --sign-with "aws-sign --key alias/gwc" --out dist
  gwc run dist --verify build.pub`;

/** Makes of what gives an exit code an action of a command. */
export type Exit = <A extends unknown[]>(
  action: (...args: A) => Promise<number>,
) => (...args: A) => Promise<void>;

/** Adds `build` and `verify`. @param reported adds the options of commands that print findings */
export function addBuildCommands(
  program: Command,
  reported: (command: Command) => Command,
  exit: Exit,
): void {
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
    .option("--policy <file>", "what the configuration may hold; its hash stands in the manifest")
    .option("--sign <key>", "sign the build with this private key (PEM: Ed25519, ECDSA P-256 or RSA)")
    .option(
      "--sign-passphrase <variable>",
      "environment variable with the passphrase of an encrypted key (default: GWC_SIGN_PASSPHRASE)",
    )
    .addOption(
      new Option(
        "--sign-with <command>",
        "sign with a program: what is to be signed on its input, the signature, raw or base64, on its output",
      ).conflicts("sign"),
    )
    .option("--sbom", "write sbom.json: gwc, its packages and those of plugins (CycloneDX 1.5)")
    .option(
      "--provenance",
      "write provenance.json: what the build was made of, files, packages and git commit (in-toto, SLSA v1)",
    )
    .addHelpText("after", BUILD_HELP)
    .action(exit(async (paths: string[], options) => (await import("./build.js")).build(paths, options)));

  addVerify(program, exit);
}

function addVerify(program: Command, exit: Exit): void {
  program
    .command("verify")
    .description("say whether a build is whole and who has signed it; runs nothing of it")
    .argument("[directory]", "a directory made by gwc build", "dist")
    .option(
      "--key <file>",
      "public key that may have signed it; several: one of them (default: those of GWC_VERIFY_KEY)",
      (file: string, all: string[] = []) => [...all, file],
    )
    .addOption(new Option("--format <format>").choices(["text", "json"]).default("text"))
    .addHelpText(
      "after",
      "\nExit codes: 0 whole and signed by a key that was named, or whole, unsigned and no key was named; 1 not; 2 a key cannot be used, or a signature is there and no key was named.",
    )
    .action(
      exit(async (directory: string, options) => (await import("./verify.js")).verify(directory, options)),
    );
}
