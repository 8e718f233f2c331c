import type { Command } from "commander";
import type { CommandContext } from "./command-context.ts";

/** `migrate`: migrates the database without starting the server. */
export function migrate(program: Command, context: CommandContext): void {
  program
    .command("migrate")
    .description("migrate the database to this version, as the server does when it starts")
    .action(async () => {
      await context.withExclusiveDatabase(async () => {});
      context.print({ text: "The database is up to date.", json: { migrated: true } });
    });
}
