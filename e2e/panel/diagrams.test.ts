import { expect, test } from "vitest";
import { chat } from "../support/chat.ts";
import { launchChromium } from "../support/chromium.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment();

test("draws a diagram in a sandboxed frame, and says what is wrong with one (CVE-2026-23733)", async () => {
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
  expect(await panel.locator("iframe").count()).toBe(0);
  expect(await panel.locator("code").innerText()).toContain("a[");
  await panel.getByRole("button", { name: "Fix this" }).click();
  await expect.poll(async () => await composer.inputValue()).toMatch(/^> Plan \(Mermaid\)[^]*Parse error/);
  await ada.context.close();
});

test("shows the code of a diagram that is never finished, in the answer and in the panel", async () => {
  // As in Chromium with a window: the headless shell runs all frames in one process by default.
  const browser = await launchChromium(["--site-per-process"]);
  const ada = await visit(browser, environment.server.url);
  const { page } = ada;
  const { ask, answers, settled } = chat(page);
  await ada.context.route(/mermaid[^/]*\.js/, async (route) => {
    // Its address is a module too.
    if (route.request().resourceType() === "script") return await route.continue();
    const body = "globalThis.mermaid = { initialize() {}, render() { for (;;); } };";
    return await route.fulfill({ contentType: "text/javascript", body });
  });
  await ask("# Plan\n\n```mermaid\ngraph LR\n  a --> b\n```\n\necho");
  await settled();
  const inline = answers.first().locator("figure");
  await inline.locator("iframe").waitFor({ state: "attached" });
  await inline.locator("iframe").waitFor({ state: "detached" });
  expect(await inline.locator("code").innerText()).toContain("a --> b");

  await answers.first().getByRole("button", { name: "Open" }).click();
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.locator("iframe").waitFor();
  await panel.getByRole("alert").getByText("took longer than 5 seconds to draw").waitFor();
  expect(await panel.locator("iframe").count()).toBe(0);
  expect(await panel.locator("code").innerText()).toContain("a --> b");
  await ada.end();
  await browser.close();
});
