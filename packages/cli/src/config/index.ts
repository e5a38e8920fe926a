/** What a configuration imports: `defineFleet` and the types of what it may say. */
export * from "./FleetConfig.ts"
