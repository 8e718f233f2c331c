import { Command, CommanderError } from "commander";
import { groups, singles } from "./commands.ts";
import { createDoor } from "./open-database.ts";
import { exitCodes, sentenceOf } from "./errors.ts";
import type { World } from "./context.ts";

/** Runs one command, `args` as typed, and answers the exit code: one of `exitCodes`. Throws nothing. */
export async function runCli(args: string[], world: World): Promise<number> {
  const program = new Command("cli");
  const wantsJson = (): boolean => program.opts<{ json?: boolean }>().json === true;
  const door = createDoor(world, wantsJson);
  program
    .usage("<command> [arguments]")
    .description("The operator's commands. They read the same settings as the server, which may be running.")
    .option("--json", "answer for programs: JSON on standard output, failures as JSON on standard error")
    .addHelpText(
      "after",
      [
        "",
        "Type it as: npm run cli -- <command>",
        "In scripts: npm run --silent cli -- <command> --json",
        "Exit codes: 0 done, 1 could not be done, 2 called wrongly.",
      ].join("\n"),
    )
    .helpCommand("help [command]", "tell more of a command");
  for (const [name, { about, commands }] of Object.entries(groups)) {
    const group = program.command(name).description(about);
    for (const add of commands) add(group, door);
  }
  for (const add of singles) add(program, door);
  const fail = (message: string): void =>
    world.err(wantsJson() ? `${JSON.stringify({ error: message })}\n` : `${message}\n`);
  forAll(program, (command) => {
    command.exitOverride().configureHelp({ showGlobalOptions: true });
    command.configureOutput({
      writeOut: world.out,
      writeErr: world.err,
      outputError(text) {
        fail(text.trim().replace(/^error: (.)/, (_, first: string) => first.toUpperCase()));
        if (!wantsJson()) world.err(`See: ${["npm run cli --", ...pathOf(command), "--help"].join(" ")}\n`);
      },
    });
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCodes.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const sentence = sentenceOf(error);
    fail(sentence ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)));
    return exitCodes.failed;
  }
}

function forAll(command: Command, visit: (command: Command) => void): void {
  visit(command);
  for (const below of command.commands) forAll(below, visit);
}

/** Its words, such as `key make`, without the program's own name. */
function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
