import { expect, test } from "vitest";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("draws a diagram in a closed frame, and says what is wrong with one (CVE-2026-23733)", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, settled, composer } = chat(page);
  const panel = page.getByRole("region", { name: "Panel" });
  const open = async (code: string) => {
    await ask(`# Plan\n\n\`\`\`mermaid\n${code}\n\`\`\`\n\necho`);
    await settled();
    await answers.last().getByRole("button", { name: "Open" }).click();
  };
  // The label would run in a page: Mermaid shows it as text.
  await open(`graph LR\n  a["Seed <img src=x onerror=top.location='/'></script>"] --> b[Tree]`);
  const frame = panel.frameLocator("iframe");
  await frame.getByText("Tree").waitFor({ timeout: 30_000 });
  expect(await frame.locator("svg").count()).toBe(1);
  expect(await frame.locator("img[onerror]").count()).toBe(0);
  expect(new URL(page.url()).pathname).toMatch(/^\/t\//);
  const drawn = await panel.locator("iframe").screenshot();
  expect(drawn.byteLength).toBeGreaterThan(2_000);

  await open("graph LR\n  a[");
  await panel.getByText("Version 2 of 2").waitFor();
  await panel.getByRole("alert").getByText("Parse error").waitFor();
  await panel.getByRole("button", { name: "Fix this" }).click();
  await eventually(
    async () => await composer.inputValue(),
    (text) => expect(text).toMatch(/^> Plan \(Mermaid\)[^]*Parse error/),
  );
  await ada.context.close();
});
