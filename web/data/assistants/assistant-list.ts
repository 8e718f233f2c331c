export const assistantsKey = ["assistants"] as const;
export const assistantKey = (id: string) => ["assistant", id] as const;
