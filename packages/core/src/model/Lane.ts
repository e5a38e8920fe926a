/** Who acts. A lane does one thing at a time; two lanes do things in any order. */
export interface Lane<Id extends string = string> {
  /** In snake_case, unique in its model. */
  readonly id: Id
  /** What it does, in a sentence. */
  readonly sentence: string
}
