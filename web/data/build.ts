import { tabStorage } from "./drafts/device-storage.ts";
import { browserServices } from "./services.ts";

/** Which build this tab has left already. */
const leftKey = "parlance.left-build";

/** Whether the server gives out another build of the app than the one that runs here; `false` where it does not answer. */
export async function isOutdated(): Promise<boolean> {
  const running = runningBuild();
  if (running === undefined) return false;
  try {
    const answer = await fetch("/", { cache: "no-cache" });
    return answer.ok && !(await answer.text()).includes(`"${running}"`);
  } catch {
    return false;
  }
}

/**
 * Goes on at the same address with the build that the server has now, and with every word that was written. Once for
 * each build that is left, so that two servers with two builds keep no page loading for ever.
 */
export function leaveOutdated(): void {
  const running = runningBuild();
  if (running === undefined || tabStorage.keeping.get() !== "kept" || tabStorage.get(leftKey) === running)
    return;
  tabStorage.set(leftKey, running);
  browserServices().drafts.flush();
  location.reload();
}

/** The script that the page began with: its name holds the build. */
function runningBuild(): string | undefined {
  const script = document.querySelector<HTMLScriptElement>("script[type='module'][src]");
  return script?.getAttribute("src") ?? undefined;
}
