import type { Command } from "commander";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { Door } from "../open-database.ts";
import { projectNamed, projectOption } from "../project-named.ts";
import { originArgument } from "./origin-argument.ts";

/** `origin allow https://app.example.com`: from the first one on, only pages of listed origins may call. */
export function originAllow(group: Command, door: Door): void {
  group
    .command("allow")
    .description("let pages of an origin call a project; once one is listed, only those that are listed may")
    .argument(...originArgument)
    .option(projectOption.flags, projectOption.about)
    .action(async (origin: string, options: { project?: string }) => {
      await door.withDatabase(async (db) => {
        const projects = createProjects({ db, clock: door.clock });
        const { id, name } = await projectNamed(projects, options.project);
        const isNew = await projects.allow(id, origin);
        door.answer({
          text: isNew
            ? `Pages of ${origin} may call the project "${name}".`
            : `Pages of ${origin} may call the project "${name}" already.`,
          json: { project_id: id, origin, changed: isNew },
        });
      });
    });
}
