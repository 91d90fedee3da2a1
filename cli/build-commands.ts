import { type Command, Option } from "commander";
import { onDemand, repeatable, reported, textOrJson } from "./options.js";

const BUILD_HELP = `
The signature is manifest.sig, next to manifest.json, which has the hash of every other file. gwc verify and gwc run --verify
check it; provenance.sig signs provenance.json. The program of --sign-with has 60 s and runs without a shell.

Examples:
  openssl genpkey -algorithm ed25519 -out build.key && openssl pkey -in build.key -pubout -out build.pub
  gwc build --sign build.key --out dist
  gwc build --sign-with "aws-sign --key alias/gwc" --out dist
  gwc run dist --verify build.pub`;

export function addBuildCommands(program: Command): void {
  reported(program.command("build"))
    .description(
      "compile to a directory: generated modules, plan and manifest; the same input gives the same bytes",
    )
    .option("-o, --out <directory>", "directory to write to", "dist")
    .option("--no-type-check", "skip the strict type check of the generated modules")
    .option(
      "--cache <directory>",
      "directory of the cache of modules that passed the type check, which jobs may share (default: the replaced build)",
    )
    .option("--policy <file>", "policy that the configuration must satisfy; the manifest has its hash")
    .option("--sign <key>", "sign the build with this private key (PEM: Ed25519, ECDSA P-256 or RSA)")
    .option(
      "--sign-passphrase <variable>",
      "environment variable with the passphrase of an encrypted key (default: GWC_SIGN_PASSPHRASE)",
    )
    .addOption(
      new Option(
        "--sign-with <command>",
        "sign with a program that reads the data from standard input and writes the signature, raw or base64, to standard output",
      ).conflicts("sign"),
    )
    .option("--sbom", "write sbom.json with gwc, its packages and those of plugins (CycloneDX 1.5)")
    .option(
      "--provenance",
      "write provenance.json with the files, packages and git commit of the build (in-toto, SLSA v1)",
    )
    .addHelpText("after", BUILD_HELP)
    .action(onDemand(async () => (await import("./build.js")).build));

  addVerify(program);
}

function addVerify(program: Command): void {
  program
    .command("verify")
    .description("check that a build is complete and who signed it, without running it")
    .argument("[directory]", "directory written by gwc build", "dist")
    .option(
      "--key <file>",
      "public key that must have signed it; repeatable, one must match (default: the keys in GWC_VERIFY_KEY)",
      repeatable,
    )
    .addOption(textOrJson())
    .addHelpText(
      "after",
      "\nExit codes: 0 complete, and signed by a given key or unsigned with no key given; 1 not; 2 a key cannot be used, or the build is signed and no key is given.",
    )
    .action(onDemand(async () => (await import("./verify.js")).verify));
}
