require 'json'

def get_assert(output, context)
  puts 'words on standard output'
  output == 'hello' && !context['vars'].nil?
end

def fails(_output, _context)
  raise ArgumentError, 'no'
end

def half(_output, _context)
  0.5
end

def word(_output, _context)
  'hello'
end

def graded(output, context)
  { pass_: true, score: 0.75, reason: "length #{output.length}", named_scores: { size: 0.5 }, component_results: [{ pass: true, score: 1, reason: 'part' }] }
end

def limited(_output, context)
  { pass: true, score: context['config']['score'], reason: 'from the config' }
end

module Grading
  class Strict
    def self.check(output, _context)
      output.length > 30
    end
  end
end

class Loose
  def self.check(output, _context)
    output.length > 3
  end
end
