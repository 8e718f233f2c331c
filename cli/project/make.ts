import type { Command } from "commander";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { Door } from "../open-database.ts";
import { CommandError } from "../errors.ts";
import { nameFrom } from "../name.ts";

/** `project make "shop"`: a tenant whose keys, workspaces and threads are nobody else's. */
export function projectMake(group: Command, door: Door): void {
  group
    .command("make")
    .description("make a project: its keys, people and threads are apart from every other's")
    .argument("<name>", "what to call it", nameFrom)
    .action(async (name: string) => {
      const made = await door.withDatabase(
        async (db) => await createProjects({ db, clock: door.clock }).make(name),
      );
      if (made === undefined)
        throw new CommandError(`<name>: there is a project "${name}" already. Choose another name.`);
      door.answer({
        text: `Made the project "${name}", ${made.id}. Give it a key: npm run cli -- key make "my app" --project ${JSON.stringify(name)}`,
        json: { id: made.id, name },
      });
    });
}
