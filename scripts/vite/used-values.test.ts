import { join } from "node:path";
import { build, type Plugin, type Rolldown } from "vite";
import { expect, test } from "vitest";
import { usedValues } from "./used-values.ts";

const contract = join(import.meta.dirname, "..", "..", "contract");

/** The scripts of a page with these modules, `/start.js` first. */
async function scriptsOf(modules: Record<string, string>, plugin: Plugin): Promise<Record<string, string>> {
  const source: Plugin = {
    name: "source",
    enforce: "pre",
    resolveId: (id) => (id in modules ? id : undefined),
    load: (id) => modules[id],
  };
  const built = await build({
    configFile: false,
    logLevel: "silent",
    plugins: [source, plugin],
    build: { write: false, rolldownOptions: { input: "/start.js" } },
  });
  const { output } = built as Rolldown.RolldownOutput;
  return Object.fromEntries(
    output.flatMap((file) => (file.type === "chunk" ? [[file.name, file.code]] : [])),
  );
}

test("the build loads the rules of a form's fields with its screen, and no schema", async () => {
  const file = JSON.stringify(join(contract, "form-fields.ts"));
  const scripts = await scriptsOf(
    {
      "/start.js": `
        import { formFields } from ${file};
        console.log(formFields["labels.put"]);
        window.open = { prompts: () => import("/prompts.js"), mail: () => import("/mail.js") };`,
      "/prompts.js": `import { formFields } from ${file}; console.log(formFields["prompts.put"].text.max);`,
      "/mail.js": `import { formFields } from ${file}; console.log(formFields["mail.put"]);`,
    },
    usedValues("/contract/form-fields.ts", "formFields", { isSplit: true }),
  );
  const { start = "", prompts = "", mail = "" } = scripts;
  expect(Object.keys(scripts).toSorted()).toEqual(["mail", "prompts", "start"]);
  expect(start).toMatch(/folder.*tag/);
  expect(prompts).toMatch(/16e3|16000/);
  expect(mail).toMatch(/starttls/);
  expect(start).not.toMatch(/16e3|16000|starttls/);
  expect(prompts).not.toMatch(/starttls|folder/);
  expect(start.length).toBeLessThan(3_000);
});
