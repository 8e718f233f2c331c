import { useState } from "react";
import { showFailure } from "./toast.tsx";

/** `isBusy` while an action runs. A failure is shown as a toast. */
export function useBusy(): { isBusy: boolean; run(action: () => Promise<void>): void } {
  const [isBusy, setBusy] = useState(false);
  return {
    isBusy,
    run(action) {
      setBusy(true);
      void action()
        .catch(showFailure)
        .finally(() => setBusy(false));
    },
  };
}
