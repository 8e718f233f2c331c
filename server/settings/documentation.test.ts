import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderEnvExample, renderSettingsPage } from "./documentation.ts";
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
