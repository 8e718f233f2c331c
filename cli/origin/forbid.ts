import type { Command } from "commander";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { Door } from "../open-database.ts";
import { CommandError } from "../errors.ts";
import { projectNamed, projectOption } from "../project-named.ts";
import { originArgument } from "./origin-argument.ts";

/** `origin forbid https://app.example.com`: takes it off the list. */
export function originForbid(group: Command, door: Door): void {
  group
    .command("forbid")
    .description("take an origin off a project's list")
    .argument(...originArgument)
    .option(projectOption.flags, projectOption.about)
    .action(async (origin: string, options: { project?: string }) => {
      await door.withDatabase(async (db) => {
        const projects = createProjects({ db, clock: door.clock });
        const { id, name, origins } = await projectNamed(projects, options.project);
        if (!(await projects.forbid(id, origin)))
          throw new CommandError(
            origins.length === 0
              ? `<origin>: no origin is listed for the project "${name}". Allow those that may call, and all others are forbidden.`
              : `<origin>: ${origin} is not listed for the project "${name}". Listed are ${origins.join(", ")}.`,
          );
        // An empty list would silently let everybody in.
        const isLast = origins.length === 1;
        const elsewhere = door.config().allowedOrigins;
        if (isLast && elsewhere.length === 0)
          door.note("That was the last one: with an empty list, pages of every origin may call.");
        if (elsewhere.includes(origin))
          door.note("The setting PARLANCE_ALLOWED_ORIGINS names it too, and lets it in still.");
        door.answer({
          text: `Took ${origin} off the list of the project "${name}".`,
          json: { project_id: id, origin, changed: true },
        });
      });
    });
}
