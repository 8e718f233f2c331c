import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { document as pdfOf } from "#fixtures/pdf/write.ts";
import { chat } from "../support/chat.ts";
import { base64, drop, uploaded } from "../support/drop.ts";
import { startEnvironment } from "../support/environment.ts";
import { visitWithOwnerAccount } from "../support/owner-account.ts";
import { visit } from "../support/visit.ts";

const environment = startEnvironment({ ownServer: true, env: { MODEL_READS: "text" } });

test("an answer says that no text was found in a scan, and to administrators what would help", async () => {
  const scan = { name: "scan.pdf", type: "application/pdf", body: base64(pdfOf([{ content: "" }])) };
  const askAbout = async (page: Page) => {
    await drop(page, [scan]);
    await uploaded(page);
    const { ask, settled } = chat(page);
    await ask("What is in it? tokens=3");
    await settled();
    await page.getByText("scan.pdf wasn’t sent: no text was found").waitFor();
  };
  const { page } = await visitWithOwnerAccount(environment, { isOpen: true });
  await askAbout(page);
  const { page: guest } = await visit(environment.browser, environment.server.url);
  await askAbout(guest);
  expect(await guest.getByText("add OCR").count()).toBe(0);
  await page.getByRole("link", { name: "Scanned pages: add OCR" }).click();
  await page.getByText("Not recognized. To add it:").waitFor();
});
