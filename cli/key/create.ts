import type { Command } from "commander";
import { createApiKeys } from "#server/auth/api-keys.ts";
import { createProjects } from "#server/auth/projects/projects.ts";
import type { CommandContext } from "../command-context.ts";
import { parseName } from "../parse-name.ts";
import { findProject, projectOption } from "../project-option.ts";
import { isoTime, formatTime, parseFutureTime } from "../format-date.ts";

/** `key create "my app"`: creates a key and prints it. It cannot be shown again. */
export function keyCreate(group: Command, context: CommandContext): void {
  group
    .command("create")
    .description("create an API key; it is shown once and works at once")
    .argument("<name>", 'its purpose, such as "my app"', parseName)
    .option(projectOption.flags, projectOption.about)
    .option(
      "--expires <when>",
      "90d, 12h or 8w from now, or a day such as 2027-01-31; by default never",
      (text) => parseFutureTime(text, context.clock.now()),
    )
    .action(async (name: string, options: { project?: string; expires?: number }) => {
      await context.withDatabase(async (db) => {
        const { clock } = context;
        const project = await findProject(createProjects({ db, clock }), options.project);
        const made = await createApiKeys({ db, clock }).create({
          name,
          projectId: project.id,
          expiresAt: options.expires,
        });
        const end = made.expires_at === null ? "never expires" : `expires ${formatTime(made.expires_at)}`;
        context.print({
          text: [
            made.key,
            "",
            `Store it now: it is not shown again. It is the key "${made.name}" of the project "${project.name}" and ${end}.`,
            "It can act for every user of that project, so keep it on a server, never in a browser.",
          ].join("\n"),
          json: {
            id: made.id,
            key: made.key,
            name: made.name,
            project_id: made.project_id,
            expires_at: isoTime(made.expires_at),
          },
        });
      });
    });
}
