import { useQuery } from "@tanstack/react-query";
import { useModels } from "./assistants/models.ts";
import { useServices } from "./provider.tsx";

/**
 * Follow-up questions after the answer of this run; none without one. The server makes them once. A failure shows none: they
 * are only an offer.
 */
export function useSuggestions(
  threadId: string,
  answer: { messageId: string; runId: string } | undefined,
): readonly string[] {
  const { call } = useServices();
  const { suggestions: areOffered } = useModels();
  const { data } = useQuery({
    queryKey: ["suggestions", answer?.messageId, answer?.runId],
    queryFn: async ({ signal }) => {
      const params = { thread_id: threadId, message_id: answer!.messageId };
      return (await call("suggestions.get", { params }, signal)).suggestions;
    },
    enabled: answer !== undefined && areOffered,
    staleTime: Infinity,
    retry: false,
  });
  return answer === undefined || !areOffered ? none : (data ?? none);
}

const none: readonly string[] = [];
