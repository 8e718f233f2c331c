import type { ComponentProps } from "react";
import { createLazyModule } from "#web/ui/lazy-module.ts";
import { useLoaded } from "#web/ui/load-failure.tsx";

const form = createLazyModule(
  () => import("./feedback-form.tsx"),
  (module) => module.FeedbackForm,
  "thread",
);

export const loadFeedbackForm = form.load;

type Props = ComponentProps<typeof import("./feedback-form.tsx").FeedbackForm> & { reopen(): void };

/** The form for the reason of a bad rating, which is loaded when it is first opened. */
export function LazyFeedbackForm({ reopen, ...props }: Props) {
  const Form = useLoaded(form, { onFailed: props.onDone, retry: reopen });
  return Form === undefined ? null : <Form {...props} />;
}
