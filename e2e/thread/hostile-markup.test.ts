import type { Page } from "playwright-core";
import { expect } from "vitest";
import { hostileMarkup } from "#fixtures/hostile-markup.ts";
import { everyPart, filled } from "#fixtures/part-examples.ts";
import { chat, eventually } from "../support/chat.ts";
import { startEnvironment, test } from "../support/environment.ts";
import { moveTo } from "../support/move-to.ts";
import { storeThread } from "../support/store-thread.ts";
import { visit, type Visit } from "../support/visit.ts";

const environment = startEnvironment();

const markup = hostileMarkup.join("\n\n");
/** Longer than any of its lines with backticks. */
const fence = "`".repeat(8);
const artifactOf = (info: string, code: string) => `${fence}${info}\n${code}\n${fence}`;
const artifacts = [
  { key: "html:Html", block: artifactOf('html title="Html"', `<!doctype html>${markup}`) },
  { key: "svg:Svg", block: artifactOf('svg title="Svg"', `<svg viewBox="0 0 9 9">${markup}</svg>`) },
  {
    key: "csv:Csv",
    block: artifactOf(
      'csv title="Csv"',
      hostileMarkup.map((text) => JSON.stringify(text).replaceAll('\\"', '""')).join("\n"),
    ),
  },
  { key: "markdown:Markdown", block: artifactOf('markdown title="Markdown"', markup) },
  {
    key: "react:React",
    block: artifactOf('jsx title="React"', `export default () => <p>{${JSON.stringify(markup)}}</p>`),
  },
  { key: "python:Code", block: artifactOf('python title="Code"', markup) },
  {
    key: "mermaid:Mermaid",
    block: artifactOf(
      'mermaid title="Mermaid"',
      `graph LR\n${hostileMarkup
        .slice(0, 12)
        .map((text, i) => `  n${i}["${text.replaceAll('"', "'").replaceAll(/[[\]`]/g, "")}"]`)
        .join("\n")}`,
    ),
  },
];

/** What a page must not have, beside the sandboxed frames of programs. */
async function expectHarmless(page: Page, reached: readonly string[], what: string): Promise<void> {
  const found = await page.evaluate(() => {
    const handlers = [...document.querySelectorAll("#main *, section *")].filter((element) =>
      element.getAttributeNames().some((name) => name.startsWith("on") || name === "srcdoc"),
    );
    const links = [...document.querySelectorAll<HTMLAnchorElement>("#main a")].filter(
      ({ href, protocol }) => href !== "" && !/^(?:https?|mailto|blob|data):$/.test(protocol),
    );
    const frames = [...document.querySelectorAll("iframe")].filter(
      (frame) =>
        frame.getAttribute("src") !== "/program" || frame.getAttribute("sandbox") !== "allow-scripts",
    );
    const scripts = document.querySelectorAll("#main script, section script, object, embed, base").length;
    return {
      hit: (window as { hit?: number }).hit ?? 0,
      found: [...handlers, ...links, ...frames].map(({ outerHTML }) => outerHTML.slice(0, 200)),
      scripts,
    };
  });
  expect(found, what).toEqual({ hit: 0, found: [], scripts: 0 });
  expect(reached, what).toEqual([]);
}

/** Records what the page must not do: dialogs, other windows, and requests of another server. */
async function watched(ada: Visit): Promise<readonly string[]> {
  const reached: string[] = [];
  ada.page.on("dialog", (dialog) => {
    reached.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  ada.context.on("page", (opened) => reached.push(`window ${opened.url()}`));
  await ada.context.route(/^https?:\/\/evil\.example/, async (route) => {
    reached.push(route.request().url());
    await route.abort();
  });
  return reached;
}

test(
  "runs and loads nothing of hostile markup in any field of any part, nor in any artifact (CVE-2026-41318, CVE-2026-42045)",
  { timeout: 180_000 },
  async ({ ada, page }) => {
    const reached = await watched(ada);
    await chat(page).composer.waitFor();
    const perThread = 12;
    for (let from = 0; from < hostileMarkup.length; from += perThread) {
      const texts = hostileMarkup.slice(from, from + perThread);
      const messages = texts.flatMap((text) => [
        { role: "user" as const, content: [filled(everyPart[0]!, text) as object] },
        { role: "assistant" as const, content: everyPart.map((part) => filled(part, text) as object) },
      ]);
      const end = `The end of ${from}`;
      await moveTo(
        page,
        await storeThread(page, [...messages, { role: "user", content: [{ type: "text", text: end }] }]),
      );
      await chat(page).log.getByText(end, { exact: true }).waitFor();
      // What is folded is rendered when it is opened.
      await page.evaluate(() => {
        for (const closed of document.querySelectorAll<HTMLElement>(
          "#main [aria-expanded=false]:not([aria-haspopup])",
        ))
          closed.click();
      });
      await page.waitForTimeout(500);
      await expectHarmless(page, reached, texts.join("\n"));
    }
    const thread = await storeThread(page, [
      { role: "user", content: [{ type: "text", text: "Make" }] },
      {
        role: "assistant",
        content: [{ type: "text", text: artifacts.map(({ block }) => block).join("\n\n") }],
      },
    ]);
    await moveTo(page, thread);
    await page.getByRole("button", { name: "Open", exact: true }).first().waitFor();
    for (const { key } of artifacts) {
      await moveTo(page, `${thread}?panel=${encodeURIComponent(key)}`);
      const panel = page.getByRole("region", { name: "Panel" });
      await panel.getByRole("heading", { name: key.split(":")[1]! }).waitFor();
      const run = panel.getByRole("button", { name: "Run" });
      if (/^(?:html|react):/.test(key)) await run.click();
      await page.waitForTimeout(1_000);
      await expectHarmless(page, reached, key);
    }
    await ada.context.close();
  },
);

const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");

const titleOf = (text: string) => oneLine(text).replaceAll('"', "'");

test("runs and loads nothing of hostile markup in the languages and titles of blocks", async () => {
  const ada = await visit(environment.browser, environment.server.url);
  const { page } = ada;
  const reached = await watched(ada);
  const blocks = hostileMarkup.flatMap((text) => {
    return [`~~~~${oneLine(text)}\na\n~~~~`, `~~~~html title="${titleOf(text)}"\n<p>a</p>\n~~~~`];
  });
  const thread = await storeThread(page, [
    { role: "user", content: [{ type: "text", text: "Make" }] },
    { role: "assistant", content: [{ type: "text", text: blocks.join("\n\n") }] },
  ]);
  const last = titleOf(hostileMarkup.at(-1)!);
  await moveTo(page, `${thread}?panel=${encodeURIComponent(`html:${last}`)}`);
  const panel = page.getByRole("region", { name: "Panel" });
  await panel.getByRole("heading", { name: last }).waitFor();
  await panel.getByRole("button", { name: "In this chat" }).click();
  await page.getByRole("menu").getByText(titleOf(hostileMarkup[0]!), { exact: true }).waitFor();
  await page.waitForTimeout(500);
  await expectHarmless(page, reached, "languages and titles");
  expect(new URL(page.url()).pathname).toBe(thread);
  await ada.context.close();
});

const diagramOf = (labels: readonly string[]) =>
  `graph LR\n${labels.map((label, i) => `  n${i}["${label}"]\n  click n${i} href "${label}"`).join("\n")}`;

/** Fences and formulas, of which some cannot be labels, have their own diagrams, and two are the source of one. */
const needsOwnDiagram = (text: string) => /^(?:```|\$\$)/.test(text);

const ownDiagrams = hostileMarkup
  .filter(needsOwnDiagram)
  .map((text) => /^```mermaid\n([^]*)\n```$/.exec(text)?.[1] ?? diagramOf([titleOf(text)]));

/** A diagram of one text, which Mermaid may not be able to read. */
const isLabelOnly = (code: string) =>
  ownDiagrams.includes(code) && !hostileMarkup.some((text) => text.includes(`mermaid\n${code}`));

const labels = hostileMarkup.filter((text) => !needsOwnDiagram(text)).map(titleOf);
const labelsPerDiagram = 12;
/** With the other texts as labels and links: each diagram has a process, which takes half a second to start. */
const sharedDiagrams = Array.from({ length: Math.ceil(labels.length / labelsPerDiagram) }, (_, i) =>
  diagramOf(labels.slice(i * labelsPerDiagram, (i + 1) * labelsPerDiagram)),
);

test("runs and loads nothing of hostile markup in diagrams", { timeout: 120_000 }, async ({ ada, page }) => {
  const reached = await watched(ada);
  const diagrams = [...ownDiagrams, ...sharedDiagrams];
  const blocks = diagrams.map((code) => artifactOf("mermaid", code));
  const thread = await storeThread(page, [
    { role: "user", content: [{ type: "text", text: "Draw" }] },
    { role: "assistant", content: [{ type: "text", text: blocks.join("\n\n") }] },
  ]);
  await moveTo(page, thread);
  const figures = page.locator("figure");
  await figures.first().getByRole("button", { name: "Diagram" }).waitFor();
  for (const [i, code] of diagrams.entries()) {
    const figure = figures.nth(i);
    const drawing = figure.locator("[data-drawn]");
    const failed = figure.filter({ hasNot: page.getByRole("button", { name: "Diagram" }) });
    // The figures above give up their room when they cannot be drawn.
    await eventually(
      async () => {
        await figure.scrollIntoViewIfNeeded();
        return await drawing.or(failed).count();
      },
      (count) => expect(count, code).toBe(1),
    );
    if (!isLabelOnly(code)) expect(await drawing.count(), code).toBe(1);
    await expectHarmless(page, reached, code);
  }
  expect(new URL(page.url()).pathname).toBe(thread);
  await ada.context.close();
});
