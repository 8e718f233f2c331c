import type { FormEvent } from "react";
import { useBusy } from "#web/ui/use-busy.ts";

/** For a form that is sent as it is: only once at a time, and a failure is shown while the form keeps what was typed. */
export function useSubmit(send: () => Promise<void>): {
  isSending: boolean;
  submit(event: FormEvent): void;
} {
  const { isBusy, run } = useBusy();
  return {
    isSending: isBusy,
    submit(event) {
      event.preventDefault();
      if (!isBusy) run(send);
    },
  };
}
