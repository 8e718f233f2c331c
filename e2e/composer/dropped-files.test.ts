import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { storeSettings, stores } from "#tests/support/servers/stores.ts";
import { chat } from "../support/chat.ts";
import { attached, drop, fiveFiles } from "../support/drop.ts";
import { startEnvironment } from "../support/environment.ts";
import { visit } from "../support/visit.ts";

describe.for(stores)("with files on %s", async (store) => {
  const env = await storeSettings(store);
  const environment = startEnvironment({ env });
  const bucket = env.S3_ENDPOINT;

  test("sends five dropped files, although the page is reloaded during the upload", async () => {
    const ada = await visit(environment.browser, environment.server.url, {
      width: store === "disk" ? 1280 : 390,
      bucket,
      networkErrorsExpected: true,
    });
    const { composer, sendButton, questions, answers, settled } = chat(ada.page);
    await composer.fill("What is in these? tokens=5");
    const line = await ada.context.newCDPSession(ada.page);
    const speed = { offline: false, latency: 20, downloadThroughput: -1, uploadThroughput: 60_000 };
    await line.send("Network.enable");
    await line.send("Network.emulateNetworkConditions", speed);
    await drop(ada.page, await fiveFiles());
    await expect.poll(async () => await attached(ada.page).count()).toBe(5);
    await ada.page.getByRole("progressbar", { name: "Uploading long.bin" }).waitFor();
    await composer.press("Enter");
    await ada.page.getByText(/^Your message is sent when the files are uploaded/).waitFor();
    expect(await sendButton.isDisabled()).toBe(true);
    // Typing cancels it.
    await composer.press("End");
    await composer.pressSequentially("!");
    await ada.page.getByText("Files are still uploading.").waitFor();
    await composer.press("Backspace");
    // So does removing a file.
    await composer.press("Enter");
    await ada.page.getByText(/^Your message is sent when the files are uploaded/).waitFor();
    await ada.page.getByRole("button", { name: "Remove long.bin" }).click();
    await drop(ada.page, (await fiveFiles()).slice(4));
    await ada.page.getByText("Files are still uploading.").waitFor();

    await ada.page.reload();
    await expect.poll(async () => await attached(ada.page).count()).toBe(5);
    expect(await composer.inputValue()).toBe("What is in these? tokens=5");
    // It waits for the files.
    await sendButton.click();
    await line.send("Network.emulateNetworkConditions", { ...speed, uploadThroughput: -1 });
    await answers.first().waitFor();
    await settled();

    const question = questions.first();
    for (const name of ["prices.csv", "notes.txt", "بستان.md", "long.bin"])
      await question.getByText(name, { exact: true }).waitFor();
    const picture = question.getByRole("img", { name: "lake.png" });
    await expect
      .poll(async () => await picture.evaluate((image) => (image as { naturalWidth?: number }).naturalWidth))
      .toBe(320);
    expect(await attached(ada.page).count()).toBe(0);
    await ada.page.reload();
    await question.getByText("prices.csv", { exact: true }).waitFor();
    expect(await attached(ada.page).count()).toBe(0);
    await question.getByRole("button", { name: /prices\.csv/ }).click();
    await ada.page.getByRole("dialog", { name: "prices.csv" }).getByRole("cell", { name: "pear" }).waitFor();
    await ada.page.keyboard.press("Escape");
    const saving = ada.page.waitForEvent("download");
    await question.getByRole("link", { name: "Download notes.txt" }).click();
    expect(readFileSync(await (await saving).path(), "utf8")).toBe("Water the roses on Monday.");
    const puts = ada.requests.filter((request) => request.startsWith("PUT "));
    expect(puts.length).toBeGreaterThanOrEqual(5);
    expect(
      puts.every((request) => request.startsWith(bucket === undefined ? "PUT /" : `PUT ${bucket}/`)),
    ).toBe(true);
  });
});
