import { tabStorage } from "./drafts/device-storage.ts";
import { browserServices } from "./services.ts";
import { inApp } from "#web/lib/base-path.ts";

/** The build that this tab has already reloaded from. */
const leftKey = "parlance.left-build";

/** Whether the server has another build of the app than the one that runs here; `false` if it does not respond. */
export async function isOutdated(): Promise<boolean> {
  const running = runningBuild();
  if (running === undefined) return false;
  try {
    const answer = await fetch(inApp("/"), { cache: "no-cache" });
    return answer.ok && !(await answer.text()).includes(`"${running}"`);
  } catch {
    return false;
  }
}

/**
 * Saves the drafts and reloads the page to get the server's build. Only once per build, so that two servers with
 * different builds cannot cause an endless reload.
 */
export function reloadOutdated(): void {
  const running = runningBuild();
  if (running === undefined || tabStorage.state.get() !== "kept" || tabStorage.get(leftKey) === running)
    return;
  tabStorage.set(leftKey, running);
  browserServices().drafts.flush();
  location.reload();
}

/** The URL of the page's script, which contains a hash of the build. */
function runningBuild(): string | undefined {
  const script = document.querySelector<HTMLScriptElement>("script[type='module'][src]");
  return script?.getAttribute("src") ?? undefined;
}
