import { Command, CommanderError } from "commander";
import { groups, commands } from "./commands.ts";
import { createContext, type CliHost } from "./command-context.ts";
import { exitCodes, messageForOperator } from "./errors.ts";
import { commandLine, versionText } from "#server/lib/program.ts";

/** Runs one command and returns its exit code, one of `exitCodes`. Does not throw. */
export async function runCli(args: string[], host: CliHost): Promise<number> {
  const program = new Command(host.addCommands === undefined ? "cli" : "parlance");
  const wantsJson = (): boolean => program.opts<{ json?: boolean }>().json === true;
  const context = createContext(host, wantsJson);
  program
    .usage("<command> [arguments]")
    .description("Administration commands. They read the same settings as the server, which may be running.")
    .version(versionText(), "--version", "show the version and its commit")
    .option("--json", "print the result as JSON on standard output, and failures as JSON on standard error")
    .addHelpText(
      "after",
      [
        "",
        `Usage: ${commandLine} <command>`,
        `In scripts: ${commandLine.replace("npm run", "npm run --silent")} <command> --json`,
        "Exit codes: 0 success, 1 failure, 2 wrong usage.",
      ].join("\n"),
    )
    .helpCommand("help [command]", "show the help of a command");
  host.addCommands?.(program, context);
  for (const [name, { about, commands }] of Object.entries(groups)) {
    const group = program.command(name).description(about);
    for (const { add } of commands) add(group, context);
  }
  for (const { add } of commands) add(program, context);
  const fail = (message: string): void =>
    host.err(wantsJson() ? `${JSON.stringify({ error: message })}\n` : `${message}\n`);
  forAll(program, (command) => {
    command.exitOverride().configureHelp({ showGlobalOptions: true });
    command.configureOutput({
      writeOut: host.out,
      writeErr: host.err,
      outputError(text) {
        fail(text.trim().replace(/^error: (.)/, (_, first: string) => first.toUpperCase()));
        if (!wantsJson()) host.err(`See: ${[commandLine, ...pathOf(command), "--help"].join(" ")}\n`);
      },
    });
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const sentence = messageForOperator(error);
    fail(sentence ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)));
    return exitCodes.failed;
  }
}

function forAll(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const below of command.commands) forAll(below, visit);
}

/** The command's full name without the program, such as `key create`. */
function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
