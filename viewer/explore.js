// The live page of `ricercar explore`: what can be decided at the selected step.
