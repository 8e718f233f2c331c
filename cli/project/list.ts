import type { Command } from "commander";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { CommandContext } from "../command-context.ts";
import { table } from "../table.ts";
import { isoTime, formatTime } from "../format-date.ts";

/** `project list`: lists the tenants. Users without an account belong to the first. */
export function projectList(group: Command, context: CommandContext): void {
  group
    .command("list")
    .description("list the projects; users without an account belong to the first")
    .action(async () => {
      const projects = await context.withDatabase(
        async (db) => await createProjects({ db, clock: context.clock }).list(),
      );
      context.print({
        text: table(
          ["NAME", "CREATED", "ORIGINS", "ID"],
          projects.map(({ id, name, created_at: createdAt, origins }) => [
            name,
            formatTime(createdAt),
            origins.length === 0 ? "none listed" : String(origins.length),
            id,
          ]),
        ),
        json: projects.map(({ id, name, created_at: createdAt, origins }) => ({
          id,
          name,
          created_at: isoTime(createdAt),
          allowed_origins: origins,
        })),
      });
    });
}
