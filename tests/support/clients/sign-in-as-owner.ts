import { openBrowser } from "./browser.ts";

/** Signs a browser in with the owner's link, which the server printed. */
export async function signInAsOwner({ url, ownerLink }: { url: string; ownerLink: string }) {
  const browser = openBrowser(url.replace("127.0.0.1", "localhost"));
  await browser.post("auth.openSession", { owner_secret: ownerLink.split("#")[1]! });
  return browser;
}
