import type { Command } from "commander";
import type { Door } from "./open-database.ts";

/** `migrate`: what a start does first, for those who do it apart. */
export function migrate(program: Command, door: Door): void {
  program
    .command("migrate")
    .description("bring the database up to this version, as a start of the server does")
    .action(async () => {
      await door.withDatabaseAlone(async () => {});
      door.answer({ text: "The database is of this version.", json: { migrated: true } });
    });
}
