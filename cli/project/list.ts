import type { Command } from "commander";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { Door } from "../open-database.ts";
import { table } from "../table.ts";
import { instant, printedTime } from "../format-date.ts";

/** `project list`: the tenants; the first is the install's own, where people without an account are. */
export function projectList(group: Command, door: Door): void {
  group
    .command("list")
    .description("list the projects; the first is where people without an account are")
    .action(async () => {
      const projects = await door.withDatabase(
        async (db) => await createProjects({ db, clock: door.clock }).list(),
      );
      door.answer({
        text: table(
          ["NAME", "MADE", "ORIGINS", "ID"],
          projects.map(({ id, name, created_at: madeAt, origins }) => [
            name,
            printedTime(madeAt),
            origins.length === 0 ? "none listed" : String(origins.length),
            id,
          ]),
        ),
        json: projects.map(({ id, name, created_at: madeAt, origins }) => ({
          id,
          name,
          created_at: instant(madeAt),
          allowed_origins: origins,
        })),
      });
    });
}
