import { settingsSchema } from "./schema.ts";
import { listSettings } from "./setting.ts";

/** The text of `.env.example`: every setting with its default, commented out. */
export function renderEnvExample(): string {
  const entries = listSettings(settingsSchema).map(
    (setting) => `# ${setting.about}\n#${setting.name}=${setting.default}\n`,
  );
  return [
    "# Every setting of Parlance. Copy this file to .env and uncomment what you change.\n",
    ...entries,
  ].join("\n");
}

/** The text of `docs/settings.md`. */
export function renderSettingsPage(): string {
  const rows = listSettings(settingsSchema).map((setting) => {
    const defaultCell = setting.default === "" ? "" : `\`${setting.default}\``;
    return `| \`${setting.name}\` | ${defaultCell} | ${setting.about.replaceAll("*", "\\*")} |`;
  });
  return `# Settings

Set these in \`.env\` or in the environment, which takes precedence. An empty value counts as absent. If a setting is
wrong, the server does not start and lists everything that is wrong. This page is generated from
\`server/settings/schema.ts\`.

| Setting | Default | Meaning |
|---|---|---|
${rows.join("\n")}
`;
}
