import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settingsSchema } from "./schema.ts";
import { listSettings } from "./setting.ts";
import { readConfig } from "./settings.ts";

const root = join(import.meta.dirname, "..", "..");

test.for([
  [".env.example", renderEnvExample],
  ["docs/settings.md", renderSettingsPage],
] as const)("%s is up to date", async ([path, render]) => {
  const remedy = `generate ${path} again: node scripts/run.mjs vitest run server/settings --update=all`;
  await expect(render(), remedy).toMatchFileSnapshot(join(root, path));
});

test(".env.example contains every setting with a description and its default", () => {
  for (const { name } of listSettings(settingsSchema))
    expect(renderEnvExample()).toMatch(new RegExp(`^# .+\\n#${name}=`, "m"));
  const folder = mkdtempSync(join(tmpdir(), "parlance-config-"));
  const defaults = readConfig(folder, {});
  writeFileSync(join(folder, ".env"), renderEnvExample().replaceAll(/^#(?=[A-Z0-9_]+=)/gm, ""));
  expect(readConfig(folder, {})).toEqual(defaults);
  rmSync(folder, { recursive: true });
});

/** The text of `.env.example`: every setting with its default, commented out. */
function renderEnvExample(): string {
  const entries = listSettings(settingsSchema).map(
    (setting) => `# ${setting.about}\n#${setting.name}=${setting.default}\n`,
  );
  return [
    "# Every setting of Parlance. Copy this file to .env and uncomment what you change.\n",
    ...entries,
  ].join("\n");
}

/** The text of `docs/settings.md`. */
function renderSettingsPage(): string {
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
