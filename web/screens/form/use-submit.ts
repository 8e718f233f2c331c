import { type FormEvent, useState } from "react";
import { showFailure } from "#web/ui/toast.tsx";

/** For a form that is sent as it is: only once at a time, and a failure is shown while the form keeps what was typed. */
export function useSubmit(send: () => Promise<void>): {
  isSending: boolean;
  submit(event: FormEvent): void;
} {
  const [isSending, setSending] = useState(false);

  async function run(): Promise<void> {
    setSending(true);
    try {
      await send();
    } catch (error) {
      showFailure(error);
    } finally {
      setSending(false);
    }
  }

  return {
    isSending,
    submit(event) {
      event.preventDefault();
      if (!isSending) void run();
    },
  };
}
