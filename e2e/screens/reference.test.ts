import type { BrowserContext } from "playwright-core";
import { expect, test } from "vitest";
import { startEnvironment } from "../support/environment.ts";
import { axeViolations } from "../support/violations.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ model: false });

test("the API reference keeps the page's policy, fits telephones and wide screens, and sends requests", async () => {
  // `visit` also fails when the page asks another origin.
  const { page } = await visit(environment.browser, environment.server.url, {
    width: 390,
    height: 844,
    dark: true,
    path: "/docs",
    prepare: collectViolations,
  });
  const overflow = (): Promise<number> =>
    page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  const expectAccessible = async () => {
    // Scalar's code blocks scroll but cannot be focused.
    const violations = await axeViolations(page, { withoutRule: "scrollable-region-focusable" });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    expect(await page.evaluate("violations")).toEqual([]);
  };
  await page.getByRole("heading", { name: "Parlance", level: 1 }).waitFor();
  expect(await overflow()).toBe(0);
  await page.getByRole("heading", { name: "Errors" }).scrollIntoViewIfNeeded();
  expect(await overflow()).toBe(0);
  await expectAccessible();

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/docs#tag/the-server/GET/healthz");
  await page.reload();
  await page.getByText("$PARLANCE/healthz").waitFor();
  expect(await overflow()).toBe(0);
  await expectAccessible();
  await page.getByRole("button", { name: "Test Request (get /healthz)" }).click();
  await page.getByRole("button", { name: /^Send get request/ }).click();
  await page.getByText("200 OK").first().waitFor();
  expect(await page.evaluate("violations")).toEqual([]);
});

async function collectViolations(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const violations: string[] = [];
    Object.assign(window, { violations });
    document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      violations.push(`${violatedDirective} ${blockedURI}`),
    );
  });
}
