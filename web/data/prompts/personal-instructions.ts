import { useQuery } from "@tanstack/react-query";
import { loadedOf } from "../load-state.ts";
import { useServices } from "../provider.tsx";

const queryKey = ["personal-instructions"];

/** What this person wants every assistant to know. `save` throws `CallError`. */
export function usePersonalInstructions() {
  const { call, queries } = useServices();
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await call("personalInstructions.get", {}, signal)).instructions,
    staleTime: 0,
    // The form begins with the stored text, never with that of an earlier visit.
    gcTime: 0,
    // A form keeps what is typed in it while the page is in another tab.
    refetchOnWindowFocus: false,
  });
  return {
    ...loadedOf(query),
    instructions: query.data ?? "",
    async save(text: string): Promise<void> {
      const instructions = text.trim();
      await call("personalInstructions.put", { body: { instructions } });
      queries.setQueryData(queryKey, instructions);
    },
  };
}
