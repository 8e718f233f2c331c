import type { Page } from "playwright-core";
import sharp from "sharp";
import { expect } from "vitest";
import { chat } from "./chat.ts";

/** A file for the page. `body`: base64. */
export type DroppedFile = { name: string; type: string; body: string };

/** Drops files onto the page. */
export async function drop(page: Page, files: DroppedFile[]): Promise<void> {
  await chat(page).composer.waitFor();
  // As a string, because it runs in the page, without access to this file.
  await page.evaluate(`(() => {
    const transfer = new DataTransfer();
    for (const { name, type, body } of ${JSON.stringify(files)}) {
      const bytes = Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], name, { type }));
    }
    const at = document.querySelector("main");
    for (const kind of ["dragover", "drop"])
      at.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
  })()`);
}

/** The attachments in the composer. */
export const attached = (page: Page) =>
  page.getByRole("list", { name: "Attached files" }).getByRole("listitem");

/** Waits until the attachments in the composer are uploaded. */
export async function uploaded(page: Page): Promise<void> {
  await attached(page).first().waitFor();
  await page.getByText("Files are still uploading.").waitFor({ state: "detached" });
  expect(await page.getByText("A file didn’t upload.").count()).toBe(0);
}

/** The id of the newest file of this person. */
export async function storedFileId(page: Page): Promise<string> {
  return await page.evaluate(async () => {
    const answer = await fetch("/v1/files", { headers: { "Parlance-Client": "web" } });
    return ((await answer.json()) as { files: { id: string }[] }).files[0]!.id;
  });
}

export const base64 = (text: string | Uint8Array) => Buffer.from(text).toString("base64");

/** A picture, a table, two texts and a binary file. */
export async function fiveFiles(): Promise<DroppedFile[]> {
  const picture = await sharp({ create: { width: 320, height: 200, channels: 3, background: "#2a7f77" } })
    .png()
    .toBuffer();
  return [
    { name: "lake.png", type: "image/png", body: base64(picture) },
    { name: "prices.csv", type: "text/csv", body: base64("fruit,price\napple,1.20\npear,0.95\n") },
    { name: "notes.txt", type: "text/plain", body: base64("Water the roses on Monday.") },
    { name: "بستان.md", type: "text/markdown", body: base64("# Garden\n\nTwo beds.") },
    // Large enough that the page can be reloaded during the upload.
    { name: "long.bin", type: "application/octet-stream", body: base64(new Uint8Array(400_000).fill(7)) },
  ];
}
