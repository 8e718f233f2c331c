import { useServices } from "../provider.tsx";
import { useStored } from "../resource.ts";

const key = ["personal-instructions"];

/** What this person wants every assistant to know. `save` throws `CallError`. */
export function usePersonalInstructions() {
  const { call, queries } = useServices();
  const { data, ...loaded } = useStored(key, "personalInstructions.get", {});
  return {
    ...loaded,
    instructions: data?.instructions ?? "",
    async save(text: string): Promise<void> {
      const instructions = text.trim();
      await call("personalInstructions.put", { body: { instructions } });
      queries.setQueryData(key, { instructions });
    },
  };
}
