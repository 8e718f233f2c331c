import { QueryClientProvider } from "@tanstack/react-query";
import { createContext, useContext, useState, type ReactNode } from "react";
import { browserServices, type Services } from "./services.ts";

const ServicesContext = createContext<Services | undefined>(undefined);

/** Provides the data layer to the app. Renders nothing itself. */
export function DataProvider({ children }: { children: ReactNode }) {
  const [services] = useState(browserServices);
  return (
    <ServicesContext value={services}>
      <QueryClientProvider client={services.queries}>{children}</QueryClientProvider>
    </ServicesContext>
  );
}

export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === undefined) throw new Error("useServices must be used inside DataProvider.");
  return services;
}
