import { AxeBuilder } from "@axe-core/playwright";
import { describe, expect, test } from "vitest";
import { openStage } from "./support/stage.ts";
import { visit } from "./support/visit.ts";

const stage = openStage({ model: false });

describe.for([
  ["on a wide screen, in the light", { width: 1440, height: 900 }],
  ["on a telephone, in the dark", { width: 390, height: 844, dark: true }],
] as const)("the page of the API reference %s", ([, screen]) => {
  test("is read without a script or another origin, fits, and is open to everyone", async () => {
    const { page, requests, end } = await visit(stage.browser, stage.server.url, {
      ...screen,
      path: "/docs",
    });
    await page.getByRole("heading", { level: 1 }).waitFor();
    const overflow = (): Promise<number> =>
      page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    expect(await overflow()).toBe(0);
    // Blocks of code scroll by themselves; the page does not, wherever it is read.
    await page.getByRole("heading", { name: "Shapes" }).scrollIntoViewIfNeeded();
    expect(await overflow()).toBe(0);
    expect(requests.filter((request) => request.endsWith(".js"))).toEqual(["GET /first-paint.js"]);
    // Parts of every kind: of the whole page with its thousands of lines it takes a minute.
    const parts = new AxeBuilder({ page })
      .include("nav")
      .include("header")
      .include("#begin")
      .include("#threads-list");
    const { violations } = await parts.analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    await end();
  });

  test("leads from its contents to a call, by an address that can be sent", async () => {
    const { page, end } = await visit(stage.browser, stage.server.url, { ...screen, path: "/docs" });
    await page.getByRole("navigation").getByRole("link", { name: "Threads", exact: true }).click();
    expect(new URL(page.url()).hash).toBe("#threads");
    await page.goto("/docs#threads-create");
    const heading = page.getByRole("heading", { name: "Make a thread" });
    await heading.waitFor();
    expect((await heading.boundingBox())!.y).toBeLessThan(screen.height / 2);
    await end();
  });
});
